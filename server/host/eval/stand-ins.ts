import type {McpSettings} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import {Offer} from "../../agents/mcp/offer.ts"
import type {AgentTool} from "../../agents/runs/tool.ts"
import type {StandIns} from "../../agents/stand-ins.ts"
import type {EvalCase, EvalFile} from "./cases.ts"
import {includes, type Missed} from "./expect.ts"
import {type EvalMode, type Recording, recordedModel} from "./recording.ts"

export interface StandInOptions {
  readonly recording: Recording
  readonly mode: EvalMode
  readonly run: number
  readonly folder: string
  /** The tools of MCP servers, as the file describes them. */
  readonly foreign: NonNullable<EvalFile["tools"]>
}

/** What a run of a case showed beside the rows of its agents. */
export interface Seen {
  milliseconds: number
  readonly missed: Missed[]
}

/** Returns the models and tools of one run of a case. */
export const createStandIns = (given: EvalCase, options: StandInOptions): {standIns: StandIns; seen: Seen} => {
  const seen: Seen = {milliseconds: 0, missed: []}
  const {recording, mode, run, folder, foreign} = options
  const plain = plainFrom(folder, Date.now())
  const told = (milliseconds: number) => {
    seen.milliseconds += milliseconds
  }
  const missed = (model: string, asked: string) => {
    seen.missed.push({what: "recording", expected: `a reply of ${model}`, came: asked})
  }
  const tool = (own: AgentTool): AgentTool => ({...own, run: use => answer(own, use, given, seen)})
  return {
    seen,
    standIns: {
      model: async ({config: {provider, model}}, open, hide) => {
        const name = `${provider}:${model}`
        return recordedModel(name, open, hide, {recording, mode, run, plain, told, missed})
      },
      tool,
      foreign: ({config}) => config.mcp.flatMap(entry => foreignIn(entry, foreign)).map(tool),
    },
  }
}

const foreignIn = (entry: McpSettings, foreign: StandInOptions["foreign"]): readonly AgentTool[] => {
  const offer = new Offer(entry, text => text)
  const nothing = () => Promise.reject(new Error("an evaluation starts no server"))
  return foreign.flatMap(({tool, description = "", parameters: schema = {type: "object"}}) => {
    const [server, ...rest] = tool.split(".")
    return (server === entry.name && offer.toolOf(rest.join("."), {description, schema}, nothing)) || []
  })
}

const answer = async (
  tool: AgentTool,
  use: Parameters<AgentTool["run"]>[0],
  {results = []}: EvalCase,
  seen: Seen,
): ReturnType<AgentTool["run"]> => {
  const found = results.find(({tool: name, args = {}}) => name === tool.name && includes(use.args, args))
  if (found?.error !== undefined) throw new Error(found.error)
  if (found !== undefined) return {value: found.result}
  if (!actsOutside(tool)) return tool.run(use)
  const came = `${toJson(use.args)}, which an evaluation does not run`
  seen.missed.push({what: "results", expected: tool.name, came})
  throw new Error("this tool has no result in the evaluation")
}

/** Whether a call reaches something outside of the copy. A plugin's `none` and `transaction` promise that it does not. */
const actsOutside = ({name, effect, isForeign}: AgentTool): boolean =>
  isForeign === true ||
  name === "fetch" ||
  effect === "external" ||
  (effect === "idempotent" && !/^(workroom|item)\./.test(name))

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Returns a function that replaces what differs in each evaluation: the copy's folder, ids, times since its start. */
const plainFrom =
  (folder: string, began: number) =>
  (text: string): string => {
    const known = new Map<string, string>()
    const idOf = (id: string) => known.get(id) ?? known.set(id, `id ${known.size + 1}`).get(id) ?? id
    const timeOf = (time: string) => (Date.parse(time) >= began - 1000 && Date.parse(time) <= Date.now() ? "now" : time)
    return text.replaceAll(folder, "project").replace(ids, idOf).replace(times, timeOf)
  }
