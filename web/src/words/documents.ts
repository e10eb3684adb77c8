import { documents as en } from "./en/documents";
import { spoken } from "./language";

export const words = spoken({ en });
