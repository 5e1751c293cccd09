import {describe, expect, test} from "vitest"
import {Buckets} from "../../../server/messages/limits/buckets.ts"
import {cooldownsOf} from "../../../server/messages/limits/cooldowns.ts"
import type {User} from "../../../shared/sdk/content/satori.ts"
import type {Cooldown} from "../../../shared/sdk/session/command.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import {command} from "../../support/messages/commands.ts"

let events = 0

interface From {
  readonly sn?: number
  readonly user?: User
  readonly channel?: string
  readonly endpoint?: string
}

/** The parts of a session that a cooldown reads. */
const sessionOf = ({sn = ++events, user = {id: "ada"}, channel = "c", endpoint = "sandbox"}: From = {}) =>
  ({event: {sn}, user, channel: {id: channel, type: 0}, endpoint}) as Session

const start = (per: Cooldown["per"], seconds = 10) => {
  let now = 1000
  const buckets = new Buckets(() => now)
  return {
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    take: async (from?: From, name = "roll") => {
      const session = sessionOf(from)
      const turn = await buckets.take(cooldownsOf(command(name, {cooldown: {per, seconds}}), session), session.event)
      return turn.is === "free" ? "free" : `${turn.seconds} s${turn.tell ? "" : ", told before"}`
    },
  }
}

const inTurn = async (take: ReturnType<typeof start>["take"], ...from: readonly From[]) => {
  const turns: string[] = []
  for (const each of from) turns.push(await take(each))
  return turns
}

describe("a command's cooldown", () => {
  test("lets it run again after its time, counted from the last call that ran", async () => {
    const {take, pass} = start("user")
    expect(await take()).toBe("free")
    pass(9_500)
    expect(await take()).toBe("1 s")
    pass(500)
    expect(await take()).toBe("free")
    expect(await take()).toBe("10 s")
  })

  test("is reported once per conversation, and then silent until it ends", async () => {
    const {take, pass} = start("everyone")
    expect(await inTurn(take, {}, {}, {}, {channel: "other"}, {channel: "other"})).toEqual([
      "free",
      "10 s",
      "10 s, told before",
      "10 s",
      "10 s, told before",
    ])
    pass(10_000)
    expect(await inTurn(take, {}, {})).toEqual(["free", "10 s"])
  })

  test("of one command does not affect another", async () => {
    const {take} = start("everyone")
    expect([await take({}, "roll"), await take({}, "draw")]).toEqual(["free", "free"])
  })

  test.each<[Cooldown["per"], Record<string, string>]>([
    ["user", {"another user": "free", "another channel": "10 s", "another endpoint": "free"}],
    ["channel", {"another user": "10 s", "another channel": "free", "another endpoint": "free"}],
    ["everyone", {"another user": "10 s", "another channel": "10 s", "another endpoint": "10 s"}],
  ])("counts per %s", async (per, expected) => {
    const others: Record<string, From> = {
      "another user": {user: {id: "bob"}},
      "another channel": {channel: "d"},
      "another endpoint": {endpoint: "irc~a"},
    }
    const found = await Promise.all(
      Object.entries(others).map(async ([name, from]) => {
        const {take} = start(per)
        await take()
        return [name, await take(from)]
      }),
    )
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test("per user counts the account if the platform vouches for it: a new nick does not help", async () => {
    const {take} = start("user")
    expect(await take({user: {id: "ada", account: "ada"}})).toBe("free")
    expect(await take({user: {id: "ada2", account: "ada"}})).toBe("10 s")
    expect(await take({user: {id: "ada"}})).toBe("free")
  })

  test("does not delay the same event when it is handled again", async () => {
    const {take} = start("user")
    expect(await inTurn(take, {sn: 7}, {sn: 7}, {sn: 8}, {sn: 8})).toEqual(["free", "free", "10 s", "10 s"])
  })

  test("is remembered for ten thousand users, and no more", async () => {
    const {take} = start("user")
    for (let n = 0; n <= 10_000; n++) await take({user: {id: `u${n}`}})
    expect(await take({user: {id: "u1"}})).toBe("10 s")
    expect(await take({user: {id: "u0"}})).toBe("free")
  })
})
