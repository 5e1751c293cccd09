import {fileURLToPath} from "node:url"
import {type Loopback, loopbackPlugin} from "../../support/adapters/loopback.ts"
import {helperAt, type ScriptedModel, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {bodyOf, startStandIn} from "../../support/machine/stand-in-server.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const mcpServer = fileURLToPath(new URL("../../support/agents/mcp-server.mjs", import.meta.url))

/** One tool of each effect. The tools that call the world take a moment, so that a kill can interrupt them. */
const toolbox = (world: string) =>
  pluginWith(`
    plugin.database.migrate([{name: "notes", irreversible: "the notes are gone", up: table => ["CREATE TABLE " + table("notes") + " (what TEXT NOT NULL)"]}])
    const tool = (name, effect, run) =>
      plugin.tool(name, {description: name, parameters: Type.Object({what: Type.String()}), effect}, run)
    const post = async (path, {args, signal}) => {
      const answer = await fetch("${world}/" + path, {method: "POST", body: args.what, signal})
      if (!answer.ok) throw new Error("the world says " + answer.status)
    }
    tool("look", "none", ({args}) => "seen " + args.what)
    tool("note", "transaction", async call => {
      await call.database.write([{sql: "INSERT INTO " + call.database.table("notes") + " VALUES (?)", args: [call.args.what]}])
      await call.send({endpoint: "loop~one", channel: "notes"}, call.args.what)
    })
    tool("order", "idempotent", call => post("orders/" + encodeURIComponent(call.key), call))
    tool("mail", "external", call => post("mails", call))`)

const ownTools = ["toolbox.look", "toolbox.note", "toolbox.order", "toolbox.mail"] as const

/** The stand-ins for MCP servers, one with each effect. Each notes its calls in a file. */
const mcpServers = {seek: "none", put: "idempotent", post: "external"} as const

/** The tools of a run, in the order in which each of its two rounds calls them. */
export const toolNames = [...ownTools, "remember", "seek.env", "put.add", "post.env"] as const

/** Some calls of the server `post` end it, or get 50 MB as their answer. */
const behaviourOf = (name: string, word: string) => {
  if (name !== "post.env") return {}
  if (word.endsWith("5")) return {behave: "dies"}
  return word.endsWith("18") ? {behave: "huge"} : {}
}

const argsOf = (name: string, what: string, word: string): object => {
  if (name === "remember") return {about: "user", text: what}
  return name.startsWith("toolbox.") ? {what} : {a: 2, b: 3, what, wait: 20, ...behaviourOf(name, word)}
}

/** A stand-in for the outside world. It accepts an order once for each key, and every mail. */
export const startWorld = async () => {
  const orders = new Map<string, string>()
  const mails: string[] = []
  let repeated = 0
  const {url} = await startStandIn(async (request, response) => {
    const [, kind, key = ""] = (request.url ?? "").split("/")
    const body = String(await bodyOf(request))
    if (kind === "mails") mails.push(body)
    else if (orders.has(key)) repeated++
    else orders.set(key, body)
    setTimeout(() => response.end(), 20)
  })
  return {url, orders, mails, repeated: () => repeated}
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** The token usage that each answer of the model reports. */
export const usage = {input: 100, output: 10} as const

/**
 * Starts a model that calls all tools in two rounds, then answers with the user's word. Some answers stream slowly. For
 * some words, the usual model breaks off in the second round, so that a fallback continues.
 */
export const startModel = (): Promise<ScriptedModel> =>
  startScriptedModel(({results, messages, model}) => {
    const word = messages.findLast(({role}) => role === "user")?.text ?? ""
    if (model === "scripted" && word.endsWith("3") && results === toolNames.length) return {cut: true}
    if (results < 2 * toolNames.length) {
      const what = `${word}/${results / toolNames.length}`
      return {calls: toolNames.map(name => ({name, args: argsOf(name, what, word)})), usage, delay: 5}
    }
    return {text: `${word} is done`, usage, ...(word.endsWith("7") ? {pace: 450} : {})}
  })

const mcpEntry = ([name, effect]: readonly [string, string]) =>
  `      - {name: ${name}, command: ["${process.execPath}", "${mcpServer}", mode, ${name}.log, pids.log], allow: ["*"], effect: ${effect}, permission: user}`

/** A project with an agent `helper` that answers direct messages. */
export const agentProject = (platform: Loopback, world: World, model: ScriptedModel): Project =>
  makeProject({
    config: `http: {port: 0}
plugins:
  loopback: {endpoints: [{id: one, url: "${platform.url}"}]}
  toolbox: {}
agents:
${helperAt(model.url)}    models: [{provider: openai-compatible, model: second, baseURL: "${model.url}"}]
    memory: {user: 30d}
    mcp:
${Object.entries(mcpServers).map(mcpEntry).join("\n")}
    tools: {${ownTools.map(name => `${name}: {}`).join(", ")}}
    triggers: {direct: true, permission: user}
    # Calls that are cut off count: slow ones are cut off at each kill.
    limits: {parallel: 16, steps: 1000, tokens: 1000000000, user: none, day: none}
`,
    plugins: {loopback: loopbackPlugin, toolbox: toolbox(world.url)},
  })
