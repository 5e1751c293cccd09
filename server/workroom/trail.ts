import type {JournalRecord} from "../../shared/workroom.ts"
import {parseRecord} from "./record.ts"
import type {Store} from "./store.ts"

/** In canonical JSON these keys are neighbours, and within a text a quote is escaped. */
const markOf = (item: number): string => `,"item":${item},"prevHash":"`

export interface TrailRequest {
  readonly item: number
  /** The Journal's last record that counts. */
  readonly last: number
  readonly limit: number
  /** Records that are looked at in one go, from the end of the Journal back. */
  readonly stride?: number
}

/** The newest records about an item, newest first. Looks back only as far as it must: to what added the item, at most. */
export const readTrail = async (
  store: Pick<Store, "read">,
  {item, last, limit, stride = 5000}: TrailRequest,
): Promise<readonly JournalRecord[]> => {
  const mark = markOf(item)
  const found: JournalRecord[] = []
  for (let upTo = last; upTo > 0 && found.length < limit; upTo -= stride) {
    const texts: string[] = []
    await store.read(Math.max(1, upTo - stride + 1), upTo, text => {
      if (text.includes(mark)) texts.push(text)
    })
    found.push(...texts.reverse().map(parseRecord))
    if (found.at(-1)?.command.is === "add") break
  }
  return found.slice(0, limit)
}
