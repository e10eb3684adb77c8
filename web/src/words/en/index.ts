import { account } from "./account";
import { chat } from "./chat";
import { composer } from "./composer";
import { decisions } from "./decisions";
import { find } from "./find";
import { firstrun } from "./firstrun";
import { models } from "./models";
import { render } from "./render";
import { runs } from "./runs";
import { share } from "./share";
import { shell } from "./shell";
import { sidebar } from "./sidebar";
import { signin } from "./signin";

export const en = {
  account,
  chat,
  composer,
  decisions,
  find,
  firstrun,
  models,
  render,
  runs,
  share,
  shell,
  sidebar,
  signin,
};
