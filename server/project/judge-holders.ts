import {epochOf} from "../../shared/event-id.ts"
import {Problem} from "../../shared/problems.ts"

/** A part of a project's state, and the authority that it names. */
export interface Holder {
  readonly name: "database" | "event log" | "workroom Journal" | "job file" | "authority file"
  /** A path in the project, a table, or an address. */
  readonly where: string
  /** Undefined where it names none. */
  readonly authority: string | undefined
  /** Why it is not this project's as it is, whatever the others name. */
  readonly problem?: Problem
  /** What to do where it alone differs from the others, which name this one. */
  readonly hint: (authority: string) => string
}

/**
 * Undefined where all parts belong to one history; else one problem that names every part that does not, and what it names.
 * The database's authority counts as the project's; the file's, where nothing of the database is known.
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

/** What to do where more than one part is not this project's. */
export const restoreAll =
  "Restore all of it from one checkpoint: svc checkpoint list; svc checkpoint show <id> tells its authority; svc checkpoint restore <id>."

/** Who names which authority, those of one history on one line. */
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
