import {readFile} from "node:fs/promises"
import {basename} from "node:path"
import {agentReasons, agentRunStates, agentStepStates} from "../../../shared/agents/states.ts"
import {agentProviders} from "../../../shared/config/agents.ts"
import {type Issue, messageOf, Problem} from "../../../shared/problems.ts"
import {permissions} from "../../../shared/sdk/session/permission.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {Closed, Optional, type Static, Type} from "../../../shared/type.ts"
import {fits} from "../../config/check.ts"
import {decodeSource, parseSource, type Source} from "../../config/text/source.ts"
import {explain} from "../../runtime/text/explain.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

const Text = Type.String({minLength: 1, maxLength: 100_000})
const Texts = Type.Array(Text, {minItems: 1})
const Values = Type.Record(Type.String(), Type.Unknown())

const place = {
  user: Optional.String({minLength: 1}),
  channel: Optional.String({minLength: 1}),
  group: Optional.Boolean(),
  roles: Type.Optional(Texts),
  language: Optional.String({minLength: 1}),
}

const Turn = Closed({...place, say: Type.Optional(Text), press: Type.Optional(Text)})

const Call = Closed({
  tool: Text,
  args: Type.Optional(Values),
  matches: Type.Optional(Type.Record(Type.String(), Text)),
  exact: Optional.Boolean(),
  state: Optional.Enum([...agentStepStates]),
})

const Result = Closed({
  tool: Text,
  args: Type.Optional(Values),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Text),
})

const Case = Closed({
  name: Type.String({minLength: 1, maxLength: 100}),
  ...place,
  say: Type.Optional(Text),
  conversation: Type.Optional(Type.Array(Turn, {minItems: 1})),
  calls: Type.Optional(Type.Array(Call)),
  order: Optional.Enum(["listed", "any"]),
  only: Optional.Boolean(),
  never: Type.Optional(Texts),
  answer: Type.Optional(
    Closed({contains: Type.Optional(Texts), matches: Type.Optional(Texts), not: Type.Optional(Texts)}),
  ),
  end: Optional.Enum([...agentRunStates, "none"]),
  reason: Optional.Enum(Object.keys(agentReasons)),
  results: Type.Optional(Type.Array(Result)),
})

const EvalFile = Closed({
  now: Type.Optional(Type.String({format: "date-time"})),
  users: Type.Optional(Type.Record(Type.String(), Type.Enum([...permissions]))),
  models: Type.Optional(
    Type.Array(
      Closed({
        provider: Type.Enum(Object.keys(agentProviders)),
        model: Text,
        baseURL: Type.Optional(Text),
        key: Type.Optional(Text),
        prices: Type.Optional(Closed({input: Type.Number({minimum: 0}), output: Type.Number({minimum: 0})})),
      }),
    ),
  ),
  tools: Type.Optional(
    Type.Array(Closed({tool: Text, description: Type.Optional(Text), parameters: Type.Optional(Values)})),
  ),
  cases: Type.Array(Case, {minItems: 1}),
})

export type Turn = Readonly<Static<typeof Turn>>
export type EvalCall = Readonly<Static<typeof Call>>
export type EvalCase = Readonly<Static<typeof Case>>
export type EvalFile = Readonly<Static<typeof EvalFile>>

/** Reads a file of cases. Throws `config_invalid` with the position of everything that is wrong with it. */
export const readCases = async (path: string, tools: readonly string[]): Promise<EvalFile> => {
  const bytes = await readFile(path).catch(cause => {
    throw wrong(`cannot read ${path}: ${messageOf(cause)}`, [])
  })
  const file = basename(path)
  const source = sourceOf(file, bytes)
  const raw = source.raw ?? {}
  const found = fits(EvalFile, raw)
    ? findWrong(source, raw as EvalFile, tools)
    : explain(EvalFile, raw, [], () => undefined).map(({path: at, message, where}) => source.issue(at, message, where))
  const issues = [...source.duplicates, ...found]
  if (issues.length > 0) throw wrong(`${file} is not a valid file of cases`, issues)
  return raw as EvalFile
}

const wrong = (message: string, issues: readonly Issue[]): Problem =>
  new Problem("config_invalid", message, {
    issues,
    hint: "Correct the file; svc docs --page docs/agents/operate.md shows an example.",
  })

const sourceOf = (file: string, bytes: Uint8Array): Source => {
  try {
    return parseSource(file, decodeSource(file, bytes))
  } catch (error) {
    throw error instanceof Problem ? wrong(`${file} is not YAML that svc reads`, error.issues) : error
  }
}

/** What a schema cannot say. */
const findWrong = (source: Source, {cases, tools: foreign = []}: EvalFile, listed: readonly string[]) => {
  const tools = [...listed, ...foreign.map(({tool}) => tool)]
  return cases.flatMap((each, index) => {
    const at = ["cases", index]
    const turns = each.conversation ?? []
    const named = [...(each.calls ?? []), ...(each.results ?? [])].map(({tool}) => tool)
    const unknown = [...named, ...(each.never ?? [])].find(tool => !tools.includes(tool))
    const patterns = [each.answer?.matches ?? [], (each.calls ?? []).flatMap(call => Object.values(call.matches ?? {}))]
    const broken = patterns.flat().find(text => tryOr(() => patternOf(text), undefined) === undefined)
    const faults = [
      [cases.findIndex(({name}) => name === each.name) < index, ["name"], "another case has this name"],
      [(each.say === undefined) === (each.conversation === undefined), [], "expected either say or conversation"],
      [unknown !== undefined, [], `no agent lists the tool ${unknown}${didYouMean(unknown ?? "", tools)}`],
      [broken !== undefined, [], `${broken} is not a regular expression`],
      ...turns.map(
        ({say, press}, turn) =>
          [
            (say === undefined) === (press === undefined),
            ["conversation", turn],
            "expected either say or press",
          ] as const,
      ),
      ...(each.results ?? []).map(
        ({result, error}, number) =>
          [
            (result === undefined) === (error === undefined),
            ["results", number],
            "expected either result or error",
          ] as const,
      ),
    ] as const
    return faults.flatMap(([isWrong, path, message]) => (isWrong ? [source.issue([...at, ...path], message)] : []))
  })
}

export const patternOf = (text: string): RegExp => new RegExp(text, "iu")
