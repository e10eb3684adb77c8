type Document = Record<string, unknown>;

interface Schema {
  version: number;
  required: string[];
  properties: Record<string, { default?: unknown }>;
}

/**
 * What RxDB does with a database that was made with an older one of the server's schemas: every document stays, sent or
 * not, and gets the defaults of fields that the schema requires by now. Changes of the server come with the next pull.
 *
 *     const schemas = await nestor.listReplicationSchemas();
 *     const creator = (name: string) => ({ schema: schemas[name], migrationStrategies: migrationStrategies(schemas[name]) });
 *     await database.addCollections({ chats: creator("chats"), messages: creator("messages") });
 */
export function migrationStrategies(schema: object): Record<number, (document: Document) => Document> {
  const { version, required, properties } = schema as Schema;
  const defaults = required.flatMap((field) => {
    const property = properties[field];
    return property && "default" in property ? [[field, property.default]] : [];
  });
  // RxDB keeps what it notes for itself below names with an underscore.
  const known = (field: string) => field.startsWith("_") || field in properties;
  const migrate = (document: Document): Document =>
    Object.fromEntries([...defaults, ...Object.entries(document).filter(([field]) => known(field))]);
  return Object.fromEntries(Array.from({ length: version }, (_, before) => [before + 1, migrate]));
}
