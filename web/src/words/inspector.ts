import { inspector as en } from "./en/inspector";
import { spoken } from "./language";

export const words = spoken({ en });
