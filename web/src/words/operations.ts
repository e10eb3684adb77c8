import { operations as en } from "./en/operations";
import { spoken } from "./language";

export const words = spoken({ en });
