import {readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {helperAt, type Script, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunAnd, makeProject, type Project, runProcess, startProcess, svc, until} from "../../support/host/host.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"

/** A plugin whose external tool and adapter leave a trace outside of the copy. */
const shop = `
import {appendFileSync} from "node:fs"
import {definePlugin, Type} from "svc-runtime"
const What = Type.Object({what: Type.String(), at: Type.Optional(Type.Object({hour: Type.Integer(), day: Type.String()}))})
export default definePlugin({
  setup(plugin) {
    plugin.adapter("shop", {account: Type.Object({token: Type.Secret()}), history: "none", open: async () => {
      appendFileSync(process.env.TRACE, "connected")
      return {send: async () => ({ids: ["1"]})}
    }})
    plugin.tool("pay", {description: "Pays", parameters: What, effect: "external"}, async () => {
      appendFileSync(process.env.TRACE, "paid")
      return "paid"
    })
    plugin.tool("note", {description: "Notes", parameters: What, effect: "transaction"}, async ({args}) => "noted " + args.what)
  },
})
`

const configAt = (url: string) => `http: {port: 8068, token: "\${HTTP_TOKEN}"}
database: {dialect: libsql, url: "http://127.0.0.1:1"}
plugins:
  shop: {endpoints: [{id: main, token: "\${SHOP_TOKEN}"}]}
permissions: [{endpoint: sandbox, user: boss, permission: trusted}]
agents:
${helperAt(url)}    key: \${MODEL_KEY}
    prices: {input: 3, output: 15}
    tools: {shop.pay: {}, shop.note: {permission: trusted}}
    triggers: {direct: true}
`

const key = "sk-a-key-that-nobody-may-see"

const cases = `users: {ada: trusted}
cases:
  - name: pays
    say: pay tea
    calls: [{tool: shop.pay, args: {at: {hour: 5}}, matches: {what: ^te}}]
    never: [shop.note]
    results: [{tool: shop.pay, args: {what: tea}, result: paid}]
    answer: {contains: [PAID], matches: ["^it is"], not: [never]}
  - name: notes
    conversation: [{user: ada, say: note tea}, {user: ada, say: note cake}]
    calls: [{tool: shop.note, args: {what: cake}}, {tool: shop.note, args: {what: tea}}]
    order: any
    only: true
  - name: refuses
    say: note gold
    calls: [{tool: shop.note, args: {what: gold}, exact: true, state: refused}]
`

/** Calls the tool that the message names, then says what its result was. */
const script: Script = ({last, messages}) => {
  if (last.role === "tool") return {text: `It is: ${last.text} (key ${key})`, usage: {input: 100, output: 10}}
  const [verb, what] = messages.at(-1)?.text.split(" ") ?? []
  const args = verb === "pay" ? {what, at: {hour: 5, day: "today"}} : {what}
  return {calls: [{name: `shop.${verb}`, args}], usage: {input: 100, output: 10}}
}

const meet = async (followed: Script = script) => {
  const model = await startScriptedModel(followed)
  const project = makeProject({config: configAt(model.url), plugins: {shop}, files: {"eval.yml": cases}})
  const env = {TRACE: project.path("trace")}
  const run = (runtime: TestRuntime, args: string, more: Record<string, string> = {}) =>
    svc(runtime, project, ["agent", "eval", ...args.split(" ")], {env: {...env, ...more}})
  return {model, project, run}
}

const secret = {MODEL_KEY: key}

const told = (text: string) => JSON.parse(text)

/** Whether neither a copy nor state is left in the project. */
const isClean = (project: Project) => !readdirSync(project.folder).includes(".svc")

describe.each(bunAnd("node24"))("svc agent eval on $name", runtime => {
  test("records once, replays without server and keys, and needs a new recording after a change", async () => {
    const {model, project, run} = await meet()
    const recorded = await run(runtime, "eval.yml --record --json", secret)
    expect({stderr: recorded.stderr, ...told(recorded.stdout)}).toMatchObject({stderr: "", ok: true})
    const asked = model.requests.length
    expect(asked).toBe(8)
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    expect(project.read("eval.yml.recorded.json")).not.toContain(key)

    // Without the provider, its key, and the variables of the platforms.
    model.follow([{status: 500}])
    const replayed = await run(runtime, "eval.yml --json")
    const [before, now] = [recorded, replayed].map(({stdout}) => told(stdout))
    expect(now).toEqual(before)
    expect(now.models).toEqual([
      {
        model: "openai-compatible:scripted",
        passed: 3,
        failed: 0,
        tokens: {in: 800, out: 80},
        money: 0.0036,
        milliseconds: expect.any(Number),
      },
    ])
    expect(model.requests).toHaveLength(asked)
    expect([project.read("trace"), isClean(project)]).toEqual(["", true])

    project.write("svc.config.yml", configAt(model.url).replace("You help.", "You help a lot."))
    const {code, stdout} = await run(runtime, "eval.yml --json --case pays")
    const [result] = told(stdout).results
    expect({code, ...result}).toMatchObject({
      code: 1,
      ok: false,
      missed: [{what: "recording", came: "pay tea"}],
    })
    expect(model.requests).toHaveLength(asked)

    const kept = project.read("eval.yml.recorded.json")
    model.follow([{status: 401}])
    expect(await run(runtime, "eval.yml --record", secret)).toMatchObject({code: 1})
    expect(project.read("eval.yml.recorded.json")).toBe(kept)
  })

  test("says for each expectation that is not met what came, and runs no tool without a result", async () => {
    const {project, run} = await meet()
    project.write(
      "eval.yml",
      `cases:
  - {name: unanswered, say: pay tea, calls: [{tool: shop.pay}]}
  - {name: other arguments, say: pay tea, calls: [{tool: shop.pay, args: {what: tea}, exact: true}], results: [{tool: shop.pay, result: [1]}]}
  - {name: other answer, user: boss, say: note tea, never: [shop.note], answer: {contains: [cake], matches: [^no], not: [tea]}}
  - {name: nothing asked, say: note tea, user: boss, only: true, end: none}
`,
    )
    const {code, stdout} = await run(runtime, "eval.yml --live --json", secret)
    const {results, models} = told(stdout)
    expect([code, models[0].passed, models[0].failed]).toEqual([1, 0, 4])
    const missedIn = ({missed}: {missed: {what: string; expected: string}[]}) =>
      missed.map(({what, expected}) => `${what} ${expected}`)
    expect(results.map(missedIn)).toEqual([
      ["results shop.pay", "calls shop.pay"],
      ['calls shop.pay exactly {"what":"tea"}'],
      ["never no shop.note", "answer.contains cake", "answer.matches ^no", "answer.not tea"],
      ["end none", "only nothing else"],
    ])
    expect(results[1].missed[0].came).toBe('shop.pay {"what":"tea","at":{"hour":5,"day":"today"}} (done)')
    expect(results[1].answer).toContain("It is: [1]")
    expect([project.read("trace"), project.read("eval.yml.recorded.json"), isClean(project)]).toEqual(["", "", true])
  })

  test("a signal or a kill leaves no process, and the next evaluation removes what a kill left", async () => {
    const {model, project} = await meet(() => ({hang: "headers"}))
    const start = () => {
      const before = model.requests.length
      const args = ["agent", "eval", "eval.yml", "--live"]
      const running = startProcess([...runtime.command, ...args], {cwd: project.folder, env: secret})
      return until("a model call", () => model.requests.length > before && running)
    }
    for (const asked of ["SIGINT", "SIGTERM"] as const) {
      const running = await start()
      running.child.kill(asked)
      expect({...(await running.finished)}).toMatchObject({signal: null, code: 1})
      expect(isClean(project)).toBe(true)
    }
    const killed = await start()
    killed.child.kill("SIGKILL")
    await killed.finished
    expect(readdirSync(project.path(".svc/tmp"))).toEqual([`eval-${killed.pid}`])
    const {stdout: left} = await runProcess(["ps", "-eo", "ppid,args"])
    expect(left.split("\n").filter(line => line.includes(project.folder))).toEqual([])
    model.follow([{text: "yes"}])
    const {code} = await svc(runtime, project, ["agent", "eval", "eval.yml", "--live", "--case", "pays"], {env: secret})
    expect([code, readdirSync(project.path(".svc/tmp"))]).toEqual([1, []])
  })
})

test("compares models in one table, and counts how often a case fails", async () => {
  const [runtime] = bunAnd("node24")
  if (runtime === undefined) throw new Error("there is no runtime")
  let count = 0
  const {model, project, run} = await meet(question =>
    question.model === "small" && question.last.role === "user" && ++count % 2 === 0
      ? {text: "I do not know."}
      : script(question),
  )
  const small = `models: [{provider: openai-compatible, model: small, baseURL: "${model.url}"}]\n`
  project.write("eval.yml", `${small}${cases}`)
  const words = "eval.yml --record --runs 2 --case pays --model small --model openai-compatible:large"
  const {code, stdout} = await run(runtime, words, secret)
  expect(code).toBe(1)
  const rows = stdout.split("\n").map(line => line.trim().split(/\s{2,}/))
  expect(rows.slice(0, 3)).toMatchObject([
    ["model", "passed", "failed", "tokens in", "out", "money", "time"],
    ["openai-compatible:small", "1", "1", "302", "24", "-", expect.any(String)],
    ["openai-compatible:large", "2", "0", "400", "40", "-", expect.any(String)],
  ])
  expect(stdout).toContain("failed: pays with openai-compatible:small in 1 run of 2")
  const replayed = await run(runtime, words.replace("--record ", ""))
  expect([replayed.code, replayed.stdout]).toEqual([1, stdout])
  for (const wrong of ["anthropic:claude", "--case"].map(each =>
    each === "--case" ? "--case pay" : `--model ${each}`,
  ))
    expect(await run(runtime, `eval.yml ${wrong}`)).toMatchObject({code: 1, stdout: ""})
})

test("answers tools of MCP servers with results, and starts no server", async () => {
  const [runtime] = bunAnd("node24")
  if (runtime === undefined) throw new Error("there is no runtime")
  const {model, project, run} = await meet(({last, messages}) => {
    if (last.role === "tool") return {text: `It is: ${last.text}`}
    return {calls: [{name: "bank.pay", args: {euros: Number(messages.at(-1)?.text)}}]}
  })
  const server = '{name: bank, command: [sh, -c, "echo started >> $TRACE"], env: {KEY: "${BANK_KEY}"}, allow: [pay]}'
  const permitted = server.replace("allow", "permission: user, effect: none, allow")
  project.write("svc.config.yml", `${configAt(model.url)}    mcp: [${permitted}]\n`)
  const described = `tools:
  - {tool: bank.pay, description: Pays euros, parameters: {type: object, properties: {euros: {type: number}}}}
  - {tool: bank.close, description: Is not allowed}
`
  const ofBank = `cases:
  - {name: pays, say: "5", calls: [{tool: bank.pay, args: {euros: 5}}],
     results: [{tool: bank.pay, args: {euros: 5}, result: paid}], answer: {contains: [paid]}}
  - {name: lacks, say: "6", calls: [{tool: bank.pay}]}
`
  project.write("eval.yml", described + ofBank)
  const recorded = await run(runtime, "eval.yml --record --json", {...secret, BANK_KEY: "x".repeat(20)})
  const {results} = told(recorded.stdout)
  expect(results).toMatchObject([
    {ok: true},
    {ok: false, missed: [{what: "results", expected: "bank.pay"}, {what: "calls"}]},
  ])
  const asked = model.requests.length
  expect(model.requests[0]?.tools).toContain("bank.pay")
  expect(model.requests.flatMap(({tools}) => tools)).not.toContain("bank.close")
  expect(told((await run(runtime, "eval.yml --json")).stdout).results).toMatchObject([{ok: true}, {ok: false}])
  expect([model.requests.length, project.read("trace")]).toEqual([asked, ""])
  project.write("eval.yml", ofBank)
  expect((await run(runtime, "eval.yml --json")).stderr).toContain("config_invalid")
})

test("names the position of everything that is wrong with the file", async () => {
  const [runtime] = bunAnd("node24")
  if (runtime === undefined) throw new Error("there is no runtime")
  const {project, run} = await meet()
  const placesIn = async (text: string) => {
    project.write("eval.yml", text)
    const {code, stdout} = await run(runtime, "eval.yml --json").then(ended => ({
      ...ended,
      stdout: ended.stdout || ended.stderr,
    }))
    const {code: problem, issues} = told(stdout)
    expect([code, problem]).toEqual([1, "config_invalid"])
    return issues.map(({line, column, path}: Record<string, unknown>) => `${line}:${column} ${path}`)
  }
  expect(await placesIn("cases:\n  - {name: one, sya: hello}\n")).toEqual(["2:17 cases[0].sya"])
  expect(await placesIn("cases: [\n")).toHaveLength(1)
  const several = `cases:
  - {name: one, say: hello, never: [shop.pya]}
  - {name: one, say: hello, answer: {matches: ["("]}}
  - {name: two}
  - {name: three, conversation: [{user: ada}]}
`
  expect(await placesIn(several)).toEqual([
    "2:5 cases[0]",
    "3:12 cases[1].name",
    "3:5 cases[1]",
    "4:5 cases[2]",
    "5:34 cases[3].conversation[0]",
  ])
  project.write("svc.config.yml", configAt("http://127.0.0.1:1/v1").replace("direct: true", "direct: maybe"))
  project.write("eval.yml", cases)
  project.write("eval.yml.recorded.json", '{"schema": "svc.eval/1", "requests": []}')
  const {stderr} = await run(runtime, "eval.yml")
  expect(stderr).toMatch(/svc\.config\.yml:15:24 agents\.helper\.triggers\.direct/)
})
