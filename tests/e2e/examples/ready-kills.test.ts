import {describe, expect, test} from "vitest"
import {loopbackPlugin, startLoopback} from "../../support/adapters/loopback.ts"
import {bunOr, startHost, untilIdle} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {readySources} from "../../support/plugins/ready-sources.ts"
import {killedAt, untilDone, untilFired} from "./example.ts"

const config = (url: string) => `http: {port: 0}
permissions:
  - {endpoint: loop~one, user: ada, permission: trusted}
plugins:
  loopback: {endpoints: [{id: one, url: "${url}"}]}
  tickets: {config: {team: {endpoint: loop~one, channel: team}}}
  workroom: {}
  welcome: {config: {goodbye: true, wait: 1, direct: "Hello {user}"}}
`

/** The deeds without the ids of messages, sorted. */
const withoutIds = (deeds: readonly string[]) => deeds.map(deed => deed.replace(/^edit [^:]+/, "edit")).toSorted()

const head = "Ticket 1 by eve (loop~one): my key"
const choices = (...labels: readonly string[]) => labels.map((label, index) => `\n${index + 1}. ${label}`).join("")

/** Who says what, with all that the bot does about it. The Host is killed after the first of these deeds. */
const steps = [
  {
    by: {user: "eve", channel: "@eve"},
    text: "/ticket my key",
    deeds: [`team: ${head}${choices("Take", "Answer", "Close")}`, "@eve: The team has your ticket 1."],
  },
  {
    by: {user: "ada", channel: "team"},
    text: "/tickets take 1",
    deeds: [`edit: ${head}\nTaken by ada.${choices("Answer", "Close")}`, "team: ada takes ticket 1."],
  },
  {
    by: {user: "ada", channel: "team"},
    text: "/tickets answer 1 At the desk",
    deeds: [
      `@eve: Answer to your ticket 1: At the desk${choices("Reply")}`,
      "team: ada answered ticket 1: At the desk",
    ],
  },
  {
    by: {user: "ada", channel: "team"},
    text: "/tickets close 1",
    deeds: [`edit: ${head}\nClosed by ada.`, "@eve: Your ticket 1 is closed.", "team: ada closed ticket 1."],
  },
] as const

describe.each(bunOr("node24"))("the ready plugins on $name", runtime => {
  test("handle a ticket and greet once, though the Host is killed in each step", async () => {
    const platform = await startLoopback()
    const files = {...readySources("tickets"), ...readySources("welcome")}
    const project = makeProject({config: config(platform.url), plugins: {loopback: loopbackPlugin}, files})
    let host = await startHost({own: true, runtime, project})
    const expected: string[] = []
    for (const [index, {by, text, deeds}] of steps.entries()) {
      const [deed = ""] = deeds
      const cause = () => platform.say(`m${index}`, text, by)
      // The platform names the message of an edit by its id.
      host = await killedAt(host, {platform, runtime, deed: deed.startsWith("edit") ? "edit" : deed, cause})
      await untilDone(platform, ...deeds.filter(each => !each.startsWith("edit")))
      expected.push(...deeds)
    }
    const joined = ["@ann: Hello ann", "hall: Welcome, ann!"]
    host = await killedAt(host, {
      platform,
      runtime,
      deed: "hall: Welcome",
      cause: () => platform.join("j1", {user: "ann", channel: "hall"}),
    })
    await untilDone(platform, ...joined)
    // They see whether the platform delivered the answers.
    await untilFired(host, "check")
    await untilIdle(host)
    expect(withoutIds(platform.deeds)).toEqual([...expected, ...joined].toSorted())
    expect((await host.get("/api/timers")).items).toEqual([])
    // One item, and each command of it once.
    const journal = await host.get("/api/workroom/journal")
    expect(journal.items.map(({item, command}) => `${item} ${command.is}`)).toEqual([
      "1 accept",
      "1 review",
      "1 claim",
      "1 add",
    ])
    expect((await host.get("/api/workroom/items/:id", {id: 1})).assignee).toBe("user:loop~one/ada")
    expect((await host.stop()).code).toBe(0)
  })
})
