import {fileURLToPath} from "node:url"
import {expect, test} from "vitest"
import {loopbackPlugin, startLoopback} from "../../support/adapters/loopback.ts"
import {readRows, runAsked, runsOf, waitingApprovals} from "../../support/agents/host.ts"
import {memoriesIn} from "../../support/agents/memory.ts"
import type {ModelQuestion} from "../../support/agents/question.ts"
import {helperAt, type ScriptedAnswer, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunAnd, pluginWith, startHost, until} from "../../support/host/host.ts"
import {makeClock} from "../../support/machine/clock.ts"
import {describeWith} from "../../support/machine/tools.ts"

const server = fileURLToPath(new URL("../../support/agents/mcp-server.mjs", import.meta.url))
const week = 7 * 24 * 3600

const toolbox = pluginWith(`
    plugin.tool("announce", {description: "Announces", parameters: Type.Object({text: Type.String()}), effect: "transaction", approval: true}, async call => {
      await call.send({endpoint: "loop~one", channel: "news"}, call.args.text)
      return "announced"
    })`)

/** The first model refuses the question of the second week. The second adds by MCP, announces, and cites the memory. */
const tell = (question: ModelQuestion): ScriptedAnswer => {
  const {results, model, messages} = question
  const asked = messages.findLast(({role}) => role === "user")?.text ?? ""
  if (asked.startsWith("note ")) {
    if (results > 0) return {text: "Noted."}
    return {calls: [{name: "remember", args: {about: "user", text: asked.slice(5)}}]}
  }
  if (model === "scripted") return {status: 429, headers: {"retry-after": "120"}}
  if (results === 0) return {calls: [{name: "calc.add", args: {a: 2, b: 3}}]}
  if (results === 1) return {calls: [{name: "toolbox.announce", args: {text: "five cups"}}]}
  const [, memory = "nothing"] = /"(The tea[^"]*)"/.exec(memoriesIn(question).join("\n")) ?? []
  const sum = messages.find(({role}) => role === "tool")?.text
  return {text: `**${memory}**: ${sum}\n\n\`\`\`ts\nlet cups\n\`\`\`\n\n| cups |\n|---|\n| 5 |`}
}

const config = (platform: string, model: string) => `http: {port: 0}
plugins:
  loopback: {endpoints: [{id: one, url: "${platform}"}]}
  toolbox: {}
agents:
${helperAt(model)}    models: [{provider: openai-compatible, model: second, baseURL: "${model}"}]
    memory: {user: 30d}
    mcp:
      - {name: calc, command: ["${process.execPath}", "${server}", mode, calls.log, pids.log], allow: [add], permission: user}
    tools: {toolbox.announce: {}}
    triggers: {direct: true, pairing: true}
`

describeWith("faketime")("an agent that is worth keeping", () => {
  test.each(bunAnd("node24"))(
    "remembers a week later, through a fallback, MCP and kill -9, on $name",
    async runtime => {
      const [platform, model, clock] = [await startLoopback(), await startScriptedModel(tell), makeClock()]
      clock.set(-week)
      const options = {own: true, runtime, env: clock.env}
      const plugins = {loopback: loopbackPlugin, toolbox}
      let host = await startHost({...options, config: config(platform.url, model.url), plugins})
      const say = (id: string, user: string, text: string) => platform.say(id, text, {user, channel: `@${user}`})

      say("m1", "ada", "hello")
      say("m2", "eve", "hello")
      const pairings = await until("two codes", async () => {
        const {items} = await host.get("/api/users/pairings")
        return items.length === 2 && items
      })
      const {code = ""} = pairings.find(({user}) => user === "ada") ?? {}
      await host.post("/api/users/approve", {body: {code}})
      say("m3", "ada", "note The tea of Ada is rooibos")
      expect(await runAsked(host, "note The tea of Ada is rooibos")).toMatchObject({
        state: "succeeded",
        answer: "Noted.",
      })
      await host.stop()

      clock.set(0)
      host = await startHost({...options, project: host.project})
      say("m4", "eve", "which tea?")
      say("m5", "ada", "how much tea?")
      const waiting = await waitingApprovals(host)
      await host.stop("SIGKILL")
      host = await startHost({...options, project: host.project})
      expect(await waitingApprovals(host)).toEqual(waiting)
      const [{id} = {id: ""}] = waiting
      await host.post("/api/approvals/:id/approve", {id, body: {by: "boss"}})
      const run = await runAsked(host, "how much tea?")
      expect(run.state).toBe("succeeded")
      expect(run.trail.map(({kind, name, state}) => `${kind} ${name} ${state}`)).toEqual([
        "model second done",
        "tool calc.add done",
        "model second done",
        "tool toolbox.announce done",
        "model second done",
      ])
      expect(memoriesIn(model.requests.at(-1))).toEqual([expect.stringMatching(/^Memory 1, 7 days old, .+rooibos"$/)])
      // No run of the stranger, who has only a code.
      expect(await runsOf(host)).toHaveLength(2)
      await until("the answer and the news", () => platform.has("news: five cups") && platform.has("@ada: "))
      await host.stop()

      const sent = (await readRows(host.project, "SELECT content FROM outbox")).map(({content}) => String(content))
      const answers = sent.filter(content => content.includes("let cups"))
      expect(answers).toHaveLength(1)
      for (const part of [
        '"b","attrs":{},"children":["The tea of Ada is rooibos"]},": 5"',
        '"type":"pre"',
        '"type":"table"',
      ])
        expect(answers[0]).toContain(part)
      expect(platform.deeds.filter(deed => deed === "news: five cups")).toHaveLength(1)
      expect(host.project.read("calls.log").trim().split("\n")).toEqual(['add {"a":2,"b":3}'])
    },
  )
})
