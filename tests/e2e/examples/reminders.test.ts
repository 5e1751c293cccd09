import {describe, expect, test} from "vitest"
import {startLoopback} from "../../support/adapters/loopback.ts"
import {bunOr, makeCheckpoint, restore, startHost, until, untilIdle} from "../../support/host/host.ts"
import {exampleProject, killedAt, release, timeless, untilDone, untilHeld} from "./example.ts"

const on = "log: Moderation is on: spam."

describe.each(bunOr("node24"))("the example reminders on $name", runtime => {
  test("answers and reminds once, though the Host is killed in the middle of each act", async () => {
    const platform = await startLoopback()
    let host = await startHost({own: true, runtime, project: exampleProject(platform, 10)})
    let number = 0
    const say = (text: string) => platform.say(`m${++number}`, text, {user: "ann", channel: "@ann"})
    const killAt = async (deed: string, text?: string) => {
      host = await killedAt(host, {platform, runtime, deed, cause: () => text === undefined || say(text)})
    }
    await killAt("@ann: Your time zone", "/timezone Europe/Berlin")
    await killAt("@ann: Reminder 1, on", "/remind in 1s tea")
    await untilDone(platform, "@ann: ann: tea")
    await killAt("@ann: ann: soup", "/remind in 1s soup")
    await killAt("@ann: Reminder 3, every", "/remind every 9:00 stand up")
    await killAt("@ann: 3, every", "/reminders")
    await killAt("@ann: Reminder 3 is cancelled", "/cancel 3")
    say("/reminders")
    await untilDone(platform, "@ann: You have no")
    await untilIdle(host)
    expect(timeless(platform.deeds)).toEqual(
      [
        on,
        "@ann: Your time zone is Europe/Berlin.",
        "@ann: Reminder 1, on TIME: tea",
        "@ann: ann: tea",
        "@ann: Reminder 2, on TIME: soup",
        "@ann: ann: soup",
        "@ann: Reminder 3, every day at 9:00 AM (Europe/Berlin): stand up",
        "@ann: 3, every day at 9:00 AM (Europe/Berlin): stand up",
        "@ann: Reminder 3 is cancelled.",
        "@ann: You have no reminders.",
      ].sort(),
    )
    expect((await host.get("/api/timers")).items).toEqual([])
    expect((await host.stop()).code).toBe(0)
  })

  test("never repeats one occurrence of a repeating reminder, and stops when it is cancelled", async () => {
    const platform = await startLoopback()
    let host = await startHost({own: true, runtime, project: exampleProject(platform, 10)})
    const rings = () => platform.deeds.filter(deed => deed === "@ann: ann: drink").length
    const began = Date.now()
    platform.say("m1", "/remind every 1s drink", {user: "ann", channel: "@ann"})
    for (const _ of [1, 2]) {
      host = await killedAt(host, {platform, runtime, deed: "@ann: ann: drink", cause: () => {}})
      const before = rings()
      await until("another reminder", () => rings() > before)
    }
    platform.say("m2", "/cancel 1", {user: "ann", channel: "@ann"})
    await untilDone(platform, "@ann: Reminder 1 is cancelled.")
    expect(rings()).toBeLessThanOrEqual(Math.floor((Date.now() - began) / 1000))
    expect(platform.deeds.at(-1)).toBe("@ann: Reminder 1 is cancelled.")
    expect((await host.get("/api/timers")).items).toEqual([])
    await untilIdle(host)
    expect(platform.deeds.at(-1)).toBe("@ann: Reminder 1 is cancelled.")
    expect((await host.stop()).code).toBe(0)
  })

  test("keeps reminders through a restore, and reminds once an operator releases them", async () => {
    const platform = await startLoopback()
    const project = exampleProject(platform, 10)
    const before = await startHost({runtime, project})
    const say = (id: string, text: string) => platform.say(id, text, {user: "ann", channel: "@ann"})
    say("m1", "/timezone Europe/Berlin")
    say("m2", "/remind in 8s late")
    say("m3", "/remind every 9:00 stand up")
    await untilDone(platform, "@ann: Reminder 2")
    await untilIdle(before)
    expect(platform.has("@ann: ann: late")).toBe(false)
    await before.stop()
    const {id} = await makeCheckpoint(project, runtime)
    await restore(project, id, runtime)

    const host = await startHost({runtime, project})
    await untilHeld(host, {inbox: 0, outbox: 0, timers: 2})
    say("m4", "/reminders")
    await untilDone(platform, "@ann: 1, on")
    await release(host, runtime, "timer")
    await untilDone(platform, "@ann: ann: late")
    say("m5", "/cancel 2")
    await untilDone(platform, "@ann: Reminder 2 is cancelled.")
    await untilIdle(host)
    expect(timeless(platform.deeds)).toEqual(
      [
        on,
        "@ann: Your time zone is Europe/Berlin.",
        "@ann: Reminder 1, on TIME: late",
        "@ann: Reminder 2, every day at 9:00 AM (Europe/Berlin): stand up",
        "@ann: 1, on TIME: late\n2, every day at 9:00 AM (Europe/Berlin): stand up",
        "@ann: ann: late",
        "@ann: Reminder 2 is cancelled.",
      ].sort(),
    )
    expect((await host.get("/api/timers")).items).toEqual([])
    expect((await host.stop()).code).toBe(0)
  })
})
