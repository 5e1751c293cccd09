import {describe, expect, test} from "vitest"
import {startLoopback} from "../../support/adapters/loopback.ts"
import {bunOr, makeCheckpoint, restore, startHost, untilIdle} from "../../support/host/host.ts"
import {exampleProject, killedAt, release, untilDone, untilFired, untilHeld, untilStored} from "./example.ts"

const on = "log: Moderation is on: spam."

/** Everything that the bot does about one message. */
const judged = (user: string, minutes: number): readonly string[] => [
  `delete ${user}-1`,
  `mute ${user} ${minutes * 60_000}`,
  `log: ${user} in team on loop~one wrote "spam" (spam): deleted, muted for ${minutes} min.`,
  `@${user}: The word "spam" is not allowed here. If this was a mistake, write here: /appeal and why.`,
]

const heard = (user: string): readonly string[] => [
  `log: ${user} appeals: "sorry". To let them write: /pardon loop~one ${user}`,
  `@${user}: The moderators have your appeal.`,
]

const pardoned = (user: string): readonly string[] => [
  `mute ${user} 0`,
  `log: ada pardoned ${user} in team.`,
  `@${user}: You may write again.`,
]

/** The steps of one user's story, each with the bot's deeds in response. */
const story = (minutes: number) => [
  {by: "USER", channel: "team", text: "spam", deeds: (user: string) => judged(user, minutes)},
  {by: "USER", channel: "@USER", text: "/appeal sorry", deeds: heard},
  {by: "ada", channel: "log", text: "/pardon loop~one USER", deeds: pardoned},
]

describe.each(bunOr("node24"))("the example moderation on $name", runtime => {
  test("does each act once, though the Host is killed in the middle of each one", async () => {
    const platform = await startLoopback()
    let host = await startHost({own: true, runtime, project: exampleProject(platform, 10)})
    await untilDone(platform, on)
    const users = ["eve", "bob", "mallory", "trudy"]
    for (const [chapter, {by, channel, text, deeds}] of story(10).entries())
      for (const [index, user] of users.slice(0, deeds("").length).entries()) {
        const say = () =>
          platform.say(`${user}-${chapter + 1}`, text.replace("USER", user), {
            user: by.replace("USER", user),
            channel: channel.replace("USER", user),
          })
        host = await killedAt(host, {platform, runtime, deed: deeds(user)[index] ?? "", cause: say})
        await untilDone(platform, ...deeds(user))
      }
    await untilFired(host, "check")
    await untilIdle(host)
    const all = story(10).flatMap(({deeds}) => users.slice(0, deeds("").length).flatMap(deeds))
    expect(platform.deeds.toSorted()).toEqual([on, ...all].sort())
    const {items} = await host.get("/api/timers")
    // Users without a pardon stay muted until their time ends.
    expect(items.map(({name}) => name)).toEqual(["close"])
    expect((await host.stop()).code).toBe(0)
  })

  test("does held acts once after a restore, when an operator releases them", async () => {
    const platform = await startLoopback()
    const project = exampleProject(platform, 0.1)
    const before = await startHost({runtime, project})
    await untilDone(platform, on)
    platform.away(true)
    platform.say("eve-1", "spam", {user: "eve", channel: "team"})
    await untilStored(before, judged("eve", 0.1).length)
    await before.stop()
    const {id} = await makeCheckpoint(project, runtime)
    platform.say("bob-1", "spam", {user: "bob", channel: "team"})
    await restore(project, id, runtime)
    platform.away(false)

    const host = await startHost({runtime, project})
    // The timers close the case, and see what came of its acts.
    await untilHeld(host, {inbox: 1, outbox: 4, timers: 2})
    expect(platform.deeds).toEqual([on])
    await release(host, runtime, "outbox")
    await untilDone(platform, ...judged("eve", 0.1))
    await release(host, runtime, "inbox")
    await untilDone(platform, ...judged("bob", 0.1))
    await release(host, runtime, "timer")
    const over = ["eve", "bob"].map(user => `log: The mute of ${user} in team has ended.`)
    await untilDone(platform, ...over)
    await untilFired(host, "check")
    await untilIdle(host)
    expect(platform.deeds.toSorted()).toEqual([on, ...judged("eve", 0.1), ...judged("bob", 0.1), ...over].sort())
    await untilHeld(host, {inbox: 0, outbox: 0, timers: 0})
    expect((await host.stop()).code).toBe(0)
  })
})
