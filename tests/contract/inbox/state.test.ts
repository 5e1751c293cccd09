import {describe, expect, onTestFinished, test} from "vitest"
import type {Database, Location} from "../../../server/database/database.ts"
import type {DeclaredState} from "../../../server/database/state/plugin-state.ts"
import {pluginDatabase} from "../../../server/generation/plugins/plugin-database.ts"
import {stateHandle} from "../../../server/generation/plugins/state.ts"
import {explainValue} from "../../../server/runtime/text/explain.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import type {StateHandle} from "../../../shared/sdk/session/state.ts"
import {Type} from "../../../shared/type.ts"
import {engines, open} from "../../support/database/databases.ts"
import {dispatchTo, hearerOf, tableOf} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

interface Points {
  readonly n: number
  readonly names: readonly string[]
}

const schema = Type.Object({n: Type.Integer({default: 0}), names: Type.Array(Type.String(), {default: []})})
const problemOf = (value: unknown) => {
  const [found] = explainValue(schema, value)
  return found && `${found.path.join(".")} ${found.message}`
}
const declared = (["user", "channel", "plugin"] as const).map(
  (scope): DeclaredState => ({scope, name: "points", schema, problemOf}),
)

interface Handles {
  readonly user: StateHandle<Points, "user">
  readonly channel: StateHandle<Points, "channel">
  readonly plugin: StateHandle<Points, "plugin">
}

/** An inbox with only this handler, and its reads and writes from outside. */
const openInbox = async (place: Location, handle: (session: Session, state: Handles) => unknown) => {
  const database: Database = await open(place)
  const plugin = {
    name: "game",
    database: pluginDatabase("game", database),
    prompt: () => undefined,
    state: (scope: string, name: string) => declared.find(each => each.scope === scope && each.name === name),
  }
  const handler = hearerOf(async session => void (await handle(session, handles)), {plugin})
  const access = {plugin: "game", database, requireActive: () => {}}
  const [user, channel, whole] = declared.map(each => stateHandle(each, access))
  const handles = {user, channel, plugin: whole} as unknown as Handles
  const {inbox, receive, idle: settled} = await startInbox(database, dispatchTo(tableOf({handlers: [handler]})))
  onTestFinished(() => inbox.drain())
  const say = (number: number, channelId: string) =>
    receive(incoming(`e${number}`, {channel: {id: channelId, type: 0}, message: {id: "m", content: `${number}`}}))
  const marks = () => database.read("SELECT state, error, failures FROM inbox_marks ORDER BY seq")
  return {database, handles, say, settled, marks}
}

describe.each(engines)("state, on $name,", ({make}) => {
  test("has schema defaults; a handler sees its own writes, which commit with its mark", async () => {
    const seen: unknown[] = []
    const {handles, say, settled} = await openInbox(await make(), async (session, {user, channel, plugin}) => {
      const points = session.state(user)
      seen.push(await points.get())
      await points.set({n: 5, names: ["a"]})
      await points.update(({n, names}) => ({n: n + 1, names}))
      seen.push(await points.get())
      await session.state(channel).update(value => ({...value, n: 1}))
      await session.state(plugin).update(value => ({...value, n: 2}))
      await session.state(plugin).delete()
      // Not stored yet.
      seen.push(await user.of({endpoint: "line", user: "ann"}).get())
    })
    await say(1, "c")
    await settled()
    const none = {n: 0, names: []}
    expect(seen).toEqual([none, {n: 6, names: ["a"]}, none])
    expect(await handles.user.of({endpoint: "line", user: "ann"}).get()).toEqual({n: 6, names: ["a"]})
    expect(await handles.user.of({endpoint: "line", user: "bob"}).get()).toEqual(none)
    expect(await handles.channel.of({endpoint: "line", channel: "c"}).get()).toEqual({n: 1, names: []})
    expect(await handles.plugin.of().get()).toEqual(none)
  })

  test("is not stored when the handler throws", async () => {
    const {handles, say, settled, marks} = await openInbox(await make(), async (session, {user}) => {
      await session.state(user).set({n: 9, names: []})
      throw new Error("no")
    })
    await say(1, "c")
    await settled()
    expect(await marks()).toEqual([{state: "failed", error: "no", failures: 0}])
    expect(await handles.user.of({endpoint: "line", user: "ann"}).get()).toEqual({n: 0, names: []})
  })

  test("loses no change of parallel handlers or outside writers, and none of them fails", async () => {
    const {handles, say, settled, marks} = await openInbox(await make(), async (session, {user}) => {
      await session.state(user).update(({n, names}) => ({n: n + 1, names: [...names, session.text]}))
    })
    const outside = handles.user.of({endpoint: "line", user: "ann"})
    await Promise.all([
      ...Array.from({length: 30}, (_, number) => say(number, `c${number}`)),
      ...Array.from({length: 10}, () => outside.update(value => ({...value, n: value.n + 1}))),
    ])
    await settled()
    const {n, names} = await outside.get()
    expect([n, new Set(names).size]).toEqual([40, 30])
    expect(await marks()).toEqual(Array(30).fill({state: "handled", error: null, failures: 0}))
  })

  test("is refused when it does not fit its schema, on a write and on a read", async () => {
    const {database, handles} = await openInbox(await make(), () => {})
    const ann = handles.user.of({endpoint: "line", user: "ann"})
    await expect(ann.set({n: "x", names: []} as never)).rejects.toMatchObject({
      code: "state_invalid",
      message: expect.stringMatching(/\bpoints of game\b.*\bann at line .*: n /),
    })
    await expect(ann.set({n: 1, names: ["x".repeat(70_000)]})).rejects.toMatchObject({code: "state_invalid"})
    await ann.set({n: 1, names: []})
    await database.write([{sql: `UPDATE plugin_state SET value = '{"n": "old"}'`}])
    await expect(ann.get()).rejects.toMatchObject({code: "state_invalid"})
  })
})
