import {expect} from "vitest"
import type {Database} from "../../../../server/database/database.ts"
import {type ToolCall, Type} from "../../../../shared/sdk/sdk.ts"
import {publishWeather} from "../../../support/agents/plugin-tools.ts"
import type {Script} from "../../../support/agents/scripted-model.ts"
import {answer} from "../../../support/messages/answers.ts"

/** The effects that the tools of a test had outside svc. */
export class World {
  /** Orders by the key of the call: the world accepts each key once. */
  readonly orders = new Map<string, string>()
  readonly mails: string[] = []
}

const parameters = Type.Object({what: Type.String()})

/** The tools of these runs: one for each effect. */
export const toolSettings = {"weather.look": {}, "weather.note": {}, "weather.order": {}, "weather.mail": {}}

/** Publishes a plugin with these tools. They write to its table, to the channel `#notes` and to the world. */
export const publishTools = async (database: Database, world: World) => {
  await database.write([{sql: "CREATE TABLE p_weather_notes (what TEXT)"}])
  return publishWeather(database, plugin => {
    const tool = (
      name: string,
      effect: "none" | "transaction" | "idempotent" | "external",
      run: (call: ToolCall<{what: string}>) => unknown,
    ) => plugin.tool(name, {description: name, parameters, effect}, run)
    tool("look", "none", ({args}) => `seen ${args.what}`)
    tool("note", "transaction", async ({args, send, database: own}) => {
      await own.write([{sql: `INSERT INTO ${own.table("notes")} VALUES (?)`, args: [args.what]}])
      await send({endpoint: "line", channel: "#notes"}, args.what)
    })
    tool("order", "idempotent", ({args, key}) => void world.orders.set(key, args.what))
    tool("mail", "external", ({args}) => void world.mails.push(args.what))
  })
}

/** The usage that the model reports for each call. */
export const usage = {input: 100, output: 10} as const

/** Two rounds of all tools with the question's word, an overload of the provider between, then an answer. */
export const busyScript = (): Script => {
  const overloaded = new Set<string>()
  return ({results, messages}) => {
    const asked = messages.findLast(({role}) => role === "user")?.text ?? ""
    const word = /word-\S+/.exec(asked)?.[0] ?? asked
    if (results === 4 && !overloaded.has(word)) {
      overloaded.add(word)
      return {status: 503}
    }
    if (results >= 8) return {text: `${word} is done`, usage}
    const calls = Object.keys(toolSettings).map(name => ({name, args: {what: `${word}/${results / 4}`}}))
    return {calls, usage}
  }
}

const count = (texts: readonly string[], part: string): number => texts.filter(text => text.includes(part)).length

/** Checks that the run did each thing once, or knows that it was cut off. Returns the number of calls. */
export const expectDone = async (database: Database, world: World, runId: string, word: string): Promise<number> => {
  const [run] = await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId])
  expect(run).toMatchObject({state: "succeeded", answer: `${word} is done`, waits_for: null, due_at: null})
  const steps = await database.read("SELECT * FROM agent_steps WHERE run = ? ORDER BY n", [Number(run?.seq)])
  const calls = steps.filter(({kind}) => kind === "tool")
  const rounds = [`${word}/0`, `${word}/1`]
  expect(calls.map(({name}) => name)).toEqual(rounds.flatMap(() => Object.keys(toolSettings)))
  const cut = calls.filter(({state}) => state === "unknown")
  expect(cut.every(({effect}) => effect === "external")).toBe(true)
  expect(steps.filter(({state}) => state !== "done")).toEqual(cut)

  const notes = await database.read("SELECT what FROM p_weather_notes WHERE what LIKE ? ORDER BY 1", [`${word}/%`])
  expect(notes.map(({what}) => what)).toEqual(rounds)
  expect([...world.orders].filter(([key]) => key.startsWith(runId)).map(([, what]) => what)).toEqual(rounds)
  const mails = world.mails.filter(what => what.startsWith(`${word}/`))
  expect(mails).toEqual([...new Set(mails)])
  const told = calls.filter(({name, state}) => name === "weather.mail" && state === "done")
  for (const {input} of told) expect(mails).toContain(JSON.parse(String(input)).what)

  const sent = await database.read("SELECT channel, content FROM outbox WHERE content LIKE ?", [`%${word}%`])
  const textsIn = (channel: string) => sent.filter(row => row.channel === channel).map(({content}) => String(content))
  expect(textsIn("#notes")).toHaveLength(2)
  const isChat = run?.item === null
  expect(count(textsIn("#team"), `${word} is done`)).toBe(isChat ? 1 : 0)
  expect(count(textsIn("#team"), answer("agent.unknown", {agent: "helper", tool: "weather.mail"}))).toBe(
    isChat ? cut.length : 0,
  )
  const ends = await database.read(
    "SELECT type FROM events WHERE run_id = ? AND type IN ('agent.run_succeeded', 'agent.run_failed', 'agent.run_cancelled')",
    [runId],
  )
  expect(ends.map(({type}) => type)).toEqual(["agent.run_succeeded"])
  return cut.length
}
