import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {openRoute} from "../../../support/messages/open-work.ts"
import {pluginWith} from "../../../support/plugins/plugin-sources.ts"

/** What a person can ask the bot for. */
export const wishes = ["picture", "remind", "ask", "helper"] as const

export type Wish = (typeof wishes)[number]

/** What the bot sends for a wish. A press of the button under `asking` is a second event, answered with `pressed`. */
export const deedsOf: Readonly<Record<Wish, readonly string[]>> = {
  picture: ["picture"],
  remind: ["reminding", "fired"],
  ask: ["asking", "pressed"],
  helper: ["drawn", "done"],
}

/** What a handler counts in a state, in the batch with its answer. The agent's answers have no handler of the plugin. */
export const counted = ["picture", "reminding", "fired", "asking", "pressed"] as const

/** A bot that uses files, timers, buttons, states and an agent, with a tool that sends a file. */
export const everythingPlugin = (edition: number): string =>
  `import {h} from "svc-runtime"
${pluginWith(`// edition ${edition}
    const file = (word: string) =>
      h("file", {src: crypto.getRandomValues(new Uint8Array(50_000)), title: word + ".bin"})
    const states = Object.fromEntries(${JSON.stringify(counted)}.map(name =>
      [name, plugin.state("plugin", Type.Object({n: Type.Integer({default: 0})}), {name})]))
    const count = (session: any, name: string) => session.state(states[name]).update(({n}: any) => ({n: n + 1}))
    plugin.command("picture <word:string>", async ({args, session}) => {
      await count(session, "picture")
      return ["picture " + args.word, file(args.word)]
    })
    const fire = plugin.timer("fire", {data: Type.Object({word: Type.String()})}, async (session, {word}) => {
      await count(session, "fired")
      return "fired " + word
    })
    plugin.command("remind <word:string>", async ({args, session}) => {
      await count(session, "reminding")
      await session.setTimer(fire, {in: 1 + Math.floor(Math.random() * 500)}, {word: args.word})
      return "reminding " + args.word
    })
    const press = plugin.action("press", {data: Type.String(), once: true}, async ({data, session}) => {
      await count(session, "pressed")
      return "pressed " + data
    })
    plugin.command("ask <word:string>", async ({args, session}) => {
      await count(session, "asking")
      return ["asking " + args.word, press.button(args.word, "Press")]
    })
    plugin.tool("draw", {description: "Draws", effect: "transaction", parameters: Type.Object({word: Type.String()})},
      async call => void (await call.send(
        {endpoint: "sandbox", channel: call.place!.channel!}, ["drawn " + call.args.word, file(call.args.word)])))
    ${openRoute}
    plugin.route({
      method: "GET", path: "/counts", scope: "full", summary: "What the handlers have counted",
      handle: async () => Response.json(Object.fromEntries(await Promise.all(
        Object.entries(states).map(async ([name, state]) => [name, (await state.of().get()).n])))),
    })`)}`

/** Starts a model that lets the agent draw once, then ends with the word. Its answers take a moment. */
export const startDrawingModel = () =>
  startScriptedModel(({results, messages}) => {
    const word = messages.findLast(({role}) => role === "user")?.text ?? ""
    if (results > 0) return {text: `done ${word}`, delay: 20}
    return {calls: [{name: "everything.draw", args: {word}}], delay: 20}
  })

export const everythingConfig = (model: string): string => `http: {port: 0}
log_level: warn
plugins: {sandbox: {}, everything: {}}
agents:
  helper:
    provider: openai-compatible
    model: scripted
    baseURL: ${model}
    instructions: You draw.
    tools: {everything.draw: {}}
    triggers: {command: helper}
    # Calls that a kill cuts off count.
    limits: {parallel: 16, steps: 1000, tokens: 1000000000, user: none, day: none}
`
