import {describe, expect, test} from "vitest"
import {columnsOf} from "../../../server/workroom/board.ts"
import {Trails} from "../../../server/workroom/trails.ts"
import {itemStates} from "../../../shared/api/item-rules.ts"
import {add, bring, fill, on, stores} from "../../support/workroom/workroom.ts"

describe.each(stores)("the workroom in $name", ({make}) => {
  test("lists an item's records from the Journal, newest first, whatever lies between them", async () => {
    const place = await make()
    const workroom = await place.open()
    const misleading = await workroom.run(add('","item":1,"prevHash":"'))
    await workroom.run(on(misleading, {is: "comment", text: ',"item":2,"prevHash":"'}))
    await fill(workroom, 80)
    const all = await workroom.journal(Number.MAX_SAFE_INTEGER, 100)
    const everyTwo = new Trails(await place.store(), 2)
    for (const {id, revision} of workroom.items) {
      const about = all.filter(({item}) => item === id)
      expect(about).toHaveLength(revision)
      expect(await workroom.journalOf(id, Number.MAX_SAFE_INTEGER, 100)).toEqual(about)
      expect(await workroom.journalOf(id, 60, 2)).toEqual(about.filter(({seq}) => seq < 60).slice(0, 2))
      expect(await everyTwo.of(id, 80)).toEqual(about.toReversed())
    }
    const noted = await workroom.run(on(workroom.item(1), {is: "comment", text: "and one more"}))
    expect(await workroom.journalOf(1, Number.MAX_SAFE_INTEGER, 1)).toMatchObject([
      {seq: 81, command: {text: "and one more"}},
    ])
    expect(await everyTwo.of(1, 81)).toHaveLength(noted.revision)
    await expect(workroom.journalOf(99, 100, 10)).rejects.toMatchObject({code: "workroom_unknown"})
  })

  test("sorts its board: blocked items by deadline, then urgent ones, then ended ones by their end", async () => {
    const workroom = await (await make()).open()
    const title = async (text: string, more = {}) => workroom.run(add(text, more))
    const until = async (text: string, deadline: string | null) =>
      workroom.run(
        on(await bring(workroom, await title(text), "active"), {is: "block", reason: "ink", owner: null, deadline}),
      )
    await title("normal")
    await title("low", {priority: "low"})
    await title("urgent", {priority: "urgent"})
    await title("normal too")
    await until("whenever", null)
    await until("late", "2030-02-01T00:00:00.000Z")
    await until("soon", "2030-01-01T00:00:00.000Z")
    const [first, second] = [await title("done first"), await title("done last")]
    await bring(workroom, second, "done")
    await new Promise(resolve => setTimeout(resolve, 2))
    await bring(workroom, first, "done")
    const board = columnsOf(workroom.items, 3)
    expect(board.map(({state}) => state)).toEqual(["blocked", "open", "active", "review", "done", "cancelled"])
    expect([...board].map(({state}) => state).sort()).toEqual([...itemStates].sort())
    expect(board.map(({total, items}) => [total, ...items.map(item => item.title)])).toEqual([
      [3, "soon", "late", "whenever"],
      [4, "urgent", "normal", "normal too"],
      [0],
      [0],
      [2, "done first", "done last"],
      [0],
    ])
  })
})
