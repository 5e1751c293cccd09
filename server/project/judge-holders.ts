import {epochOf} from "../../shared/event-id.ts"
import {Problem} from "../../shared/problems.ts"

/** A part of a project's state, and the authority that it names. */
export interface Holder {
  readonly name: "database" | "event log" | "workroom Journal" | "job file" | "authority file"
  /** A path in the project, a table, or an address. */
  readonly where: string
  /** Undefined if it names none. */
  readonly authority: string | undefined
  /** Why the part is not this project's, regardless of the other parts. */
  readonly problem?: Problem
  /** Returns the operator's step if only this part differs; the other parts name `authority`. */
  readonly hint: (authority: string) => string
}

/**
 * Returns undefined if all parts belong to one history, otherwise one problem that names every other part and its authority.
 * The project's authority is the database's, or the file's if the database is unknown.
 */
export const judgeHolders = (holders: readonly Holder[]): Problem | undefined => {
  const named = (name: Holder["name"]) => holders.find(holder => holder.name === name)?.authority
  const authority = named("database") ?? named("authority file")
  const odd = holders.filter(
    holder => holder.problem !== undefined || (holder.authority !== undefined && holder.authority !== authority),
  )
  const [only] = odd
  if (only === undefined) return undefined
  if (odd.length === 1 && only.problem !== undefined) return only.problem
  const hint = odd.length === 1 && authority !== undefined ? only.hint(authority) : restoreAll
  return new Problem("authority_mismatch", describeHolders(holders), {hint})
}

/** The operator's step if more than one part is not this project's. */
export const restoreAll =
  "Restore everything from one checkpoint: svc checkpoint list; svc checkpoint show <id> shows its authority; svc checkpoint restore <id>."

/** Lists the authorities with the parts that name them, one line per history. */
const describeHolders = (holders: readonly Holder[]): string => {
  const histories = new Map<string, string[]>()
  for (const {name, where, authority} of holders) {
    if (authority === undefined) continue
    histories.set(authority, [...(histories.get(authority) ?? []), `${name} (${where})`])
  }
  return [
    "the parts of this project's state belong to different histories:",
    ...[...histories].map(
      ([authority, names]) => `  authority ${authority}, epoch ${epochOf(authority)}: ${names.join(", ")}`,
    ),
    ...holders.flatMap(({name, problem}) => (problem === undefined ? [] : [`  ${name}: ${problem.message}`])),
  ].join("\n")
}
