import {readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import en from "../../../../server/messages/texts/en.json" with {type: "json"}
import {readRows} from "../../../support/agents/host.ts"
import {type Remembering, startRemembering} from "../../../support/agents/memory.ts"
import {printed} from "../../../support/host/command-line.ts"
import {eventOf, type TestHost, tell, until} from "../../../support/host/host.ts"
import {botTexts} from "../../../support/messages/messages.ts"

const filesOf = ({project}: TestHost): string =>
  ["", "-wal"].map(end => readFileSync(`${project.path(".svc/data.sqlite")}${end}`, "latin1")).join("")

const isInFiles = (host: TestHost, text: string): boolean => filesOf(host).includes(text)

/** Says a command; resolves to the bot's reply. */
const say = async ({host}: Remembering, user: string, text: string, channel = `@${user}`): Promise<string> => {
  const before = (await botTexts(host, channel)).length
  await eventOf(host, await tell(host, {user, text, channel, group: !channel.startsWith("@")}))
  return until("a reply", async () => (await botTexts(host, channel)).slice(before).at(-1))
}

describe("what an agent remembers", () => {
  test("reaches the user where it was said and in direct conversation, and the channel it is about", async () => {
    const {ask, seen} = await startRemembering()
    await ask("ada", "note user: Ada likes rooibos tea")
    await ask("ada", "note user: Ada parks on level seven", "#one")
    await ask("ada", "note channel: Releases happen on Thursdays", "#one")
    const sees = async (user: string, channel?: string) => {
      await ask(user, "which tea, level and Thursdays?", channel)
      return ["rooibos", "seven", "Thursdays"].filter(word => seen().join("").includes(word))
    }
    expect(await sees("ada")).toEqual(["rooibos", "seven"])
    expect(await sees("ada", "#one")).toEqual(["seven", "Thursdays"])
    expect(await sees("ada", "#two")).toEqual([])
    expect(await sees("bob", "#one")).toEqual(["Thursdays"])
    expect(seen()).toHaveLength(1)
    expect(seen()[0]).toMatch(/^Memory 3, 0 hours old, .+ "ada": "Releases happen on Thursdays"$/)
    expect(await sees("bob")).toEqual([])
    expect(await sees("boss", "#one")).toEqual([])
    await ask("boss", "note channel: The boss is away on Fridays", "#one")
    await ask("bob", "Fridays?", "#one")
    expect(
      seen()
        .map(line => line.slice(0, 9))
        .sort(),
    ).toEqual(["Memory 3,", "Memory 4,"])
  })

  test("is listed and deleted by its author alone", async () => {
    const scene = await startRemembering()
    const {host, ask, seen, model} = scene
    await ask("ada", "note user: My zanzibar dog")
    await ask("ada", "note channel: Our quetzal printer", "#one")
    await ask("bob", "note user: A walrus of Bob")
    expect(await say(scene, "ada", "/memory")).toMatch(/^1 · \d{4}-\d\d-\d\d · helper · ada, @ada · My zanzibar dog$/)
    expect(await say(scene, "ada", "/memory", "#one")).toMatch(/^2 · .+quetzal printer$/)
    expect(await say(scene, "bob", "/memory", "#one")).toBe(en["memory.none"])
    expect(await say(scene, "bob", "/forget 1")).toBe(en["memory.unknown"])
    expect(await say(scene, "bob", "/forget x")).toBe(en["memory.unknown"])
    await ask("bob", "forget: dog")
    expect(model.requests.at(-1)?.last.text).not.toContain("1")
    expect(await say(scene, "ada", "/forget 1")).toBe(en["memory.forgotten"].replace("{count}", "1"))
    await ask("ada", "zanzibar?")
    expect(seen()).toEqual([])
    expect(model.requests.at(-1)?.messages.map(({text}) => text)).toEqual(["zanzibar?"])
    await ask("ada", "forget: printer", "#one")
    expect(model.requests.at(-1)?.last.text).toContain("1")
    expect(await say(scene, "ada", "/forget all")).toBe(en["memory.unknown"])
    await host.stop()
    const rows = await readRows(host.project, "SELECT text FROM agent_memories")
    expect(rows).toEqual([{text: "A walrus of Bob"}])
  })

  test("is shown with each call that was sent it, and what it cost, until it is forgotten", async () => {
    const scene = await startRemembering()
    const {host, ask, model} = scene
    await ask("ada", "note user: Ada likes rooibos tea", "#one")
    const {runId} = await ask("ada", "note user: Ada has tea at four")
    const contextOf = async () => (await host.get("/api/runs/:id/context", {id: runId})).calls
    const kinds = ["instructions", "tools", "memory", "question"]
    const [first, second] = await contextOf()
    expect(first).toMatchObject({step: 1, exact: true, state: "done"})
    expect(second).toMatchObject({step: 3, exact: true})
    expect(first?.parts.map(({part}) => part)).toEqual(kinds)
    expect(second?.parts.map(({part, id}) => [part, id])).toEqual([
      ...kinds.map(part => [part, part === "memory" ? 1 : null]),
      ["reply", 1],
      ["result", 2],
    ])
    const texts = model.requests.at(-2)?.messages.map(({text}) => text) ?? []
    expect(texts.join()).toContain(first?.parts[2]?.text)
    expect(first?.parts.every(({tokens, state}) => tokens > 0 && state === "sent")).toBe(true)
    const shown = await printed(host.project, `agent context ${runId}`)
    expect(shown).toMatch(/memory +1 +\d{4}-.+ sent +\d+ +Memory 1, 0 hours old/)
    await say(scene, "ada", "/forget 1")
    const [later] = await contextOf()
    expect(later).toMatchObject({exact: false})
    expect(later?.parts[2]).toMatchObject({part: "memory", id: 1, state: "forgotten", text: null, tokens: 0})
  })

  test.each([
    ["by /forget", (scene: Remembering) => say(scene, "ada", "/forget all")],
    [
      "with the user",
      ({host}: Remembering) => host.post("/api/users/forget", {body: {endpoint: "sandbox", user: "ada"}}),
    ],
  ])("leaves no word in the rows, the index or the file within a second, %s", async (_, forget) => {
    const scene = await startRemembering()
    const {host, ask, model} = scene
    model.follow(({last}) =>
      last.role === "tool" || !last.text.includes("code name")
        ? {text: "ok"}
        : {calls: [{name: "remember", args: {about: "user", text: "Kumquat sits at Vxyzzy"}}]},
    )
    await ask("ada", "keep my code name")
    await ask("ada", "which one?")
    await ask("bob", "note nothing")
    expect(["Kumquat", "kumquat"].map(word => isInFiles(host, word))).toEqual([true, true])
    await forget(scene)
    const erased = performance.now()
    await until("the words to be gone", () => !/kumquat|vxyzzy/i.test(filesOf(host)))
    expect(performance.now() - erased).toBeLessThan(1000)
    await host.stop()
    expect(await readRows(host.project, "SELECT text FROM agent_memories")).toEqual([])
    const index = "SELECT rowid FROM memory_index WHERE memory_index MATCH 'kumquat'"
    expect(await readRows(host.project, index)).toEqual([])
  })
})
