import {describe, expect, test} from "vitest"
import {readRows, runAsked} from "../../support/agents/host.ts"
import {helperAt, type ScriptedAnswer, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {botTexts, bunOr, notesIn, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"
import {answer} from "../../support/messages/answers.ts"

/** A platform that supports edits. It notes each message and edit in a file that survives the Host. */
const board = pluginWith(`
    let opened
    plugin.adapter("board", {
      history: "none", idempotent: true, features: ["edit", "delete"], limits: {text: 100},
      open: async (_, endpoint) => {
        opened = endpoint
        const text = content => content.map(node => typeof node === "string" ? node : node.type + "(" + text(node.children) + ")").join("")
        const put = (act, channel, id, content) => note(JSON.stringify({act, channel, id, text: text(content)}))
        return {
          send: async ({id, channel, content}) => {
            put("send", channel, id, content)
            return {ids: [id]}
          },
          edit: async ({channel, message, content}) => put("edit", channel, message, content),
          delete: async ({channel, message}) => put("delete", channel, message, []),
        }
      },
    })
    plugin.route({method: "POST", path: "/say", scope: "full", summary: "Say", body: Type.Object({text: Type.String(), channel: Type.String()}),
      handle: async (_, {body: {text, channel}}) => Response.json(await opened.receive({
        id: channel, type: "message-created", channel: {id: channel, type: 1}, user: {id: "ada"}, message: {id: channel, content: text},
      }), {status: 202})})`)

interface Act {
  readonly act: "send" | "edit" | "delete"
  readonly channel: string
  readonly id: string
  readonly text: string
}

const actsIn = (host: TestHost, channel: string): readonly Act[] =>
  notesIn(host.project)
    .map(line => JSON.parse(line) as Act)
    .filter(act => act.channel === channel)

const shown = (host: TestHost, channel: string): readonly string[] => {
  const messages = new Map<string, string>()
  for (const {act, id, text} of actsIn(host, channel)) {
    if (act === "delete") messages.delete(id)
    else messages.set(id, text)
  }
  return [...messages.values()]
}

const words = (count: number) => Array.from({length: count}, (_, n) => `word${n}`).join(" ")
const markup =
  'See <at id="all"/>, <img src="http://x/"/>, &lt;b&gt; and **bold** @everyone\n\n```ts\nlet a\n```\n\n| a |\n|---|\n| 1 |'
const rendered =
  'p(See <at id="all"/>, <img src="http://x/"/>, <b> and b(bold) @everyone)\npre(let a)\ntable(tr(th(a))tr(td(1)))'

/** For each question, the model's first answer and its answer to the repeated question. */
const answers: Readonly<Record<string, readonly [ScriptedAnswer, ScriptedAnswer?]>> = {
  slow: [{text: words(12), pace: 250}],
  killed: [{text: words(12), pace: 250, hang: "text"}, {text: "After the restart."}],
  room: [{text: words(12), pace: 250, hang: "text"}, {text: "After the restart."}],
  long: [{text: words(40), pace: 70}],
  cut: [{text: words(8), pace: 250, cut: true}, {text: "At the second try."}],
  refused: [
    {text: words(8), pace: 250, cut: true},
    {status: 401, message: "the key is wrong"},
  ],
  markup: [{text: markup}],
  switched: [{text: words(8), pace: 250, cut: true}, {text: "From the next."}],
}

describe.each(bunOr("node24"))("a slowly streamed answer on $name", runtime => {
  test("is one message with edits and rendered Markdown, through limits, lost connections and a kill", async () => {
    const asked = new Map<string, number>()
    const model = await startScriptedModel(({last: {text}}) => {
      const count = asked.get(text) ?? 0
      asked.set(text, count + 1)
      const [first = {}, next = first] = answers[text] ?? []
      return count === 0 ? first : next
    })
    const config = `http: {port: 0}
plugins: {sandbox: {}, board: {}}
agents:
${helperAt(model.url)}    limits: {parallel: 16}
    triggers: {direct: true, permission: user}
  two:
    models:
      - {provider: openai-compatible, model: first, baseURL: "${model.url}"}
      - {provider: openai-compatible, model: second, baseURL: "${model.url}"}
    instructions: You help.
    triggers: {command: two, permission: user}
`
    let host = await startHost({own: true, runtime, config, plugins: {board}})
    const ask = (text: string) =>
      host.plugin("/api/plugins/board/say", {text: text === "switched" ? "/two switched" : text, channel: text})
    for (const text of Object.keys(answers)) if (text !== "room") await ask(text)
    await host.plugin("/api/plugins/sandbox/messages", {text: "room", channel: "room"})
    for (const text of ["slow", "long", "cut", "refused", "markup", "switched"]) await runAsked(host, text)
    // A run ends before the platform has received all of its answer.
    const whole = (text: string) =>
      shown(host, text)
        .map(each => each.trim())
        .join(" ")
    await until(
      "the final edits",
      () =>
        whole("slow") === words(12) &&
        whole("long") === words(40) &&
        whole("cut") === "At the second try." &&
        whole("switched").startsWith("p(From the next.)") &&
        / run [0-9a-f-]{36}\.$/.test(whole("refused")) &&
        whole("markup") === rendered,
    )

    const slow = actsIn(host, "slow")
    expect(slow[0]?.act).toBe("send")
    expect(slow.slice(1).every(({act, id}) => act === "edit" && id === slow[0]?.id)).toBe(true)
    expect(slow.at(-1)?.text).toBe(words(12))

    const long = shown(host, "long")
    expect(long.length).toBeGreaterThan(2)
    expect(long.every(text => text.length <= 100)).toBe(true)

    expect(shown(host, "cut")).toEqual(["At the second try."])
    const note = answer("agent.fallback", {model: "second"})
    expect(shown(host, "switched")).toEqual([`p(From the next.)\np(${note})`])
    expect(actsIn(host, "switched")[0]?.text).toMatch(/^word0 .* …$/)
    expect(shown(host, "refused").join("")).toMatch(
      new RegExp(`^${answer("agent.unavailable", {run: "[0-9a-f-]{36}"})}$`),
    )
    expect(actsIn(host, "markup").map(({act, text}) => `${act} ${text}`)).toEqual([`send ${rendered}`])

    await until("the interrupted message to be edited", () => shown(host, "killed").join("") === `${words(12)} …`)
    expect(actsIn(host, "killed")[0]?.text).toMatch(/^word0 .* …$/)
    expect(actsIn(host, "killed").at(-1)?.act).toBe("edit")
    await until("the room to show it", async () => (await botTexts(host, "room")).length === 1)
    await host.stop("SIGKILL")
    host = await startHost({own: true, runtime, project: host.project})
    await until("the answer", () => shown(host, "killed").join("") === "After the restart.")
    await until("the answer in the room", async () => (await botTexts(host, "room")).join("") === "After the restart.")
    expect(actsIn(host, "killed").filter(({act}) => act === "send")).toHaveLength(1)
    await until("all edits to be sent", async () => {
      const {items} = await host.get("/api/outbox", {limit: 100})
      return items.every(({state}) => state === "sent")
    })
    await host.stop()
    const rows = await readRows(
      host.project,
      "SELECT channel, group_concat(kind, ' ') AS kinds FROM (SELECT * FROM outbox WHERE endpoint = 'board' ORDER BY seq) GROUP BY channel ORDER BY channel",
    )
    // On a slow machine, an answer may be complete before its first part is sent.
    const kinds = Object.fromEntries(rows.map(row => [String(row.channel), String(row.kinds)]))
    expect(kinds).toEqual({
      ...Object.fromEntries(
        ["cut", "long", "refused", "slow", "switched"].map(name => [name, expect.stringMatching(/^message( edit)?$/)]),
      ),
      killed: "message edit",
      markup: "message",
    })
  })
})
