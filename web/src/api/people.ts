import type { APIKey, MadeKey, NewKey, NewUser, User, UserChange } from "../../../clients/typescript/src/api";
import { listAll } from "./calls";
import { request } from "./http";

/** Who uses the server, and the keys of who asks. */

export type { APIKey, NewKey, User, UserChange };

export const listUsers = () => listAll<User>("/users");
export const addUser = (user: NewUser) => request<User>("POST", "/users", user);
export const changeUser = (id: string, change: UserChange) => request<User>("PATCH", `/users/${id}`, change);
export const deleteUser = (id: string) => request<void>("DELETE", `/users/${id}`);

export const listKeys = () => listAll<APIKey>("/keys");
export const createKey = (key: NewKey) => request<MadeKey>("POST", "/keys", key);
export const revokeKey = (id: string) => request<void>("DELETE", `/keys/${id}`);
