import { priorities as en } from "./en/priorities";
import { spoken } from "./language";

export const words = spoken({ en });
