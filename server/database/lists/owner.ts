import type {Condition} from "./search.ts"

/** The plugin or the command that the handlers of a selection belong to. */
export interface Owner {
  readonly plugin?: string | undefined
  readonly command?: string | undefined
}

/**
 * SQL for handlers, named by `column`, of a plugin or a command. Its waiting middleware is not among them: an event may
 * pass to others' handlers only through it.
 */
export const ofOwner = (
  column: string,
  {plugin, command}: Owner,
  states: readonly string[] = [],
): readonly Condition[] => {
  const [handlers, name] = [`root/${plugin}/`, `/command/${command}`]
  const isGuarded = plugin !== undefined && states.includes("pending")
  return [
    ...(plugin === undefined ? [] : [{sql: `substr(${column}, 1, length(?)) = ?`, args: [handlers, handlers]}]),
    ...(command === undefined ? [] : [{sql: `substr(${column}, -length(?)) = ?`, args: [name, name]}]),
    ...(isGuarded
      ? [{sql: `substr(${column}, 1, length(?)) <> ?`, args: [`${handlers}middleware/`, `${handlers}middleware/`]}]
      : []),
  ]
}
