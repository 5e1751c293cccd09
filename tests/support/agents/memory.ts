import type {AgentRunDetail} from "../../../shared/api/agents/agents.ts"
import {startHost, type TestHost, tell} from "../host/host.ts"
import {runOfEvent} from "./host.ts"
import type {ModelQuestion} from "./question.ts"
import {helperAt, type ScriptedAnswer, type ScriptedModel, startScriptedModel} from "./scripted-model.ts"

/** The model notes what a message tells it to note, `note user: …` or `forget: …`, and otherwise answers "ok". */
export const noting = ({last}: ModelQuestion): ScriptedAnswer => {
  const [, about, text] = /^note (user|channel): (.+)$/s.exec(last.role === "user" ? last.text : "") ?? []
  if (text !== undefined) return {calls: [{name: "remember", args: {about, text}}]}
  const [, words] = /^forget: (.+)$/s.exec(last.role === "user" ? last.text : "") ?? []
  return words === undefined ? {text: "ok"} : {calls: [{name: "forget", args: {words}}]}
}

export const memoryConfig = (url: string, more = ""): string => `http: {port: 0}
permissions:
  - {endpoint: sandbox, user: boss, permission: admin}
plugins:
  sandbox: {}
${more}agents:
${helperAt(url)}    memory: {user: 30d, channel: 30d, commands: true}
    limits: {user: none}
    triggers: {direct: true, command: ask}
    tools: {}
`

export interface Remembering {
  readonly host: TestHost
  readonly model: ScriptedModel
  /** Asks in the user's direct conversation, or with \`/ask\` in a channel. */
  ask(user: string, text: string, channel?: string): Promise<AgentRunDetail>
  /** The memories that the model received with the last request, a line each. */
  seen(): readonly string[]
}

export const askIn = async (host: TestHost, user: string, text: string, channel?: string): Promise<AgentRunDetail> => {
  const said = channel === undefined ? {text, channel: `@${user}`} : {text: `/ask ${text}`, channel, group: true}
  return runOfEvent(host, await tell(host, {user, ...said}))
}

/** Starts a Host whose agent has memory. */
export const startRemembering = async (): Promise<Remembering> => {
  const model = await startScriptedModel(noting)
  const host = await startHost({config: memoryConfig(model.url)})
  return {
    host,
    model,
    ask: (user, text, channel) => askIn(host, user, text, channel),
    seen: () => memoriesIn(model.requests.at(-1)),
  }
}

/** The memories in a request, a line each. */
export const memoriesIn = (request: ModelQuestion | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap(({text}) => text.match(/^Memory \d+, .+$/gm) ?? [])
