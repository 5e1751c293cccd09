import {Option} from "clipanion"
import type {CaseResult, Evaluation} from "../../server/host/eval/eval.ts"
import {loadRuntime} from "../../server/runtime/engines/load-runtime.ts"
import {onSignals} from "../../server/runtime/process/signals.ts"
import {Problem} from "../../shared/problems.ts"
import {counted} from "../kit/print.ts"
import {ProgressLine} from "../kit/progress.ts"
import {rowCommand, tableOf} from "../kit/rows.ts"

export const evaluate = rowCommand({
  description: "run the cases of a file against the agents, and count what passes",
  details: `
    Each case is a conversation in a copy of the project, with its configuration and plugins, but without its data, platforms and remote database. Tools that act outside, and \`fetch\`, do not run: \`results\` of the case answers them.

    The models' replies come from <file>.recorded.json, so it needs neither a network nor keys. \`--record\` calls the provider and writes that file; \`--live\` only calls it. Both cost money.

    Exits 1 if a case fails. Needs no running Host.
  `,
  examples: [
    ["Run the recorded cases, for example in CI", "svc agent eval eval.yml"],
    ["Record again after a change of instructions, tools or model", "svc agent eval eval.yml --record"],
    ["Compare two models, five runs each", "svc agent eval eval.yml --live --runs 5 --model gpt-5 --model qwen3:8b"],
    ["One case", "svc agent eval eval.yml --case 'knows the opening hours'"],
  ],
  options: {
    file: Option.String({name: "file"}),
    record: Option.Boolean("--record", false, {description: "Call the provider, and record its replies"}),
    live: Option.Boolean("--live", false, {description: "Call the provider, and record nothing"}),
    models: Option.Array("--model", [], {
      description:
        "A model in place of the agents' own: [<provider>:]<model>, of their provider or of the file; repeatable",
    }),
    cases: Option.Array("--case", [], {description: "Only the case of this name; repeatable"}),
    runs: Option.String("--runs", "1", {description: "How often each case runs (default: 1)"}),
    environment: Option.String("--environment", "test", {description: "Reads .env.<name> over .env (default: test)"}),
  },
  run: async given => {
    const {record, live, models, cases, environment, folder, file} = given
    if (record && live) throw new Problem("request_invalid", "--record and --live cannot be used together")
    const runs = Number(given.runs)
    if (!Number.isInteger(runs) || runs < 1 || runs > 1000)
      throw new Problem("request_invalid", `--runs must be a number from 1 to 1000, not "${given.runs}"`)
    const ending = new AbortController()
    const stop = (signal: string) => ending.abort(new Problem("stopping", `${signal} ended the evaluation`))
    onSignals({stop, reload: () => {}})
    const progress = new ProgressLine(given.context.stderr)
    const mode = record ? "record" : live ? "live" : "replay"
    const {evaluate: start} = await import("../../server/host/eval/eval.ts")
    const onCase = (name: string, done: number, total: number) => progress.show(name, done, total)
    const options = {
      project: folder,
      file,
      mode,
      models,
      cases,
      runs,
      environment,
      signal: ending.signal,
      onCase,
    } as const
    const evaluation = await start(options, await loadRuntime()).finally(() => progress.clear())
    const summary = summaryOf(evaluation.results)
    given.show({...evaluation, models: summary}, () => textOf(evaluation, summary))
    return evaluation.ok
  },
})

const summaryOf = (results: readonly CaseResult[]) =>
  [...Map.groupBy(results, ({model}) => model)].map(([model, of]) => {
    const sum = (value: (result: CaseResult) => number) => of.reduce((all, result) => all + value(result), 0)
    const passed = of.filter(({ok}) => ok).length
    return {
      model,
      passed,
      failed: of.length - passed,
      tokens: {in: sum(({tokens}) => tokens.in), out: sum(({tokens}) => tokens.out)},
      money: Number(sum(({money}) => money).toPrecision(6)),
      milliseconds: sum(({milliseconds}) => milliseconds),
    }
  })

const textOf = ({note, results}: Evaluation, summary: ReturnType<typeof summaryOf>): string => {
  const rows = tableOf(
    {
      model: ({model}) => model,
      passed: ({passed}) => passed,
      failed: ({failed}) => failed,
      "tokens in": ({tokens}) => tokens.in,
      out: ({tokens}) => tokens.out,
      money: ({money}) => money || "-",
      time: ({milliseconds}) => `${(milliseconds / 1000).toFixed(1)} s`,
    },
    summary,
  )
  const failed = [...Map.groupBy(results, result => `${result.case} with ${result.model}`)].flatMap(failureOf)
  const isUnrecorded = results.some(({missed}) => missed.some(({what}) => what === "recording"))
  const hint = isUnrecorded ? ["hint: --record calls the provider, and records the requests that are new"] : []
  return [...(note === undefined ? [] : [`note: ${note}`]), rows, ...failed, ...hint].join("\n\n")
}

const failureOf = ([what, results]: readonly [string, readonly CaseResult[]]): readonly string[] => {
  const failed = results.filter(({ok}) => !ok)
  const [first] = failed
  if (first === undefined) return []
  const often = results.length === 1 ? "" : ` in ${counted(failed.length, "run")} of ${results.length}`
  const lines = first.missed.map(
    ({what, expected, came}) => `  ${what}: expected ${expected}\n    came ${came.replaceAll("\n", "\n    ")}`,
  )
  return [[`failed: ${what}${often}`, ...lines].join("\n")]
}
