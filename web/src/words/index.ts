import { en } from "./en";
import { spoken } from "./language";

/**
 * Every text of what the first page loads; pages that are loaded later have modules of their own beside
 * this one. What people and models write, and errors of the server, are not in it.
 */
export const words = spoken({ en });
