import {expect, test} from "vitest"
import {type AskBulk, changePages, findPages} from "../../../shared/api/message-lists.ts"

test("pages are changed oldest first, up to the next one, though rows arrive meanwhile", async () => {
  const changed: number[][] = []
  let newest = 7
  const ask: AskBulk = async (cursor, dryRun) => {
    const from = Number(cursor ?? newest + 1)
    const rows = Array.from({length: 3}, (_, n) => from - 1 - n).filter(seq => seq > 0)
    if (!dryRun) changed.push(rows)
    if (!dryRun) newest++
    const next = (rows.at(-1) ?? 1) > 1 ? String(rows.at(-1)) : null
    return {count: rows.length, sample: [], oldest: null, next, lookedTo: null}
  }
  const pages = await findPages(ask)
  expect(pages.map(({from}) => from)).toEqual([null, "5", "2"])
  const counts = await Array.fromAsync(changePages(ask, pages))
  expect(changed).toEqual([[1], [4, 3, 2], [9, 8, 7], [6, 5, 4]])
  expect(counts).toEqual([1, 3, 3, 3])
  expect(await findPages(ask, 2)).toHaveLength(2)
})
