export * from "./api.js";
export { Client } from "./client.js";
export { NestorError } from "./error.js";
export { migrationStrategies } from "./sync.js";
export type { Call, ClientOptions, ServerEvent } from "./transport.js";
