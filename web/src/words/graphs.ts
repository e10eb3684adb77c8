import { graphs as en } from "./en/graphs";
import { spoken } from "./language";

export const words = spoken({ en });
