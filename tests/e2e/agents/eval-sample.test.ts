import {cpSync, writeFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {answerSample} from "../../support/agents/sample-answers.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunAnd, makeProject, svc} from "../../support/host/host.ts"
import {root} from "../../support/host/runtimes.ts"

const folder = `${root}examples/agent`
const recorded = "eval.yml.recorded.json"
const note = "A person wrote these replies for a stand-in; no model made them. Record again with your model."

const makeSample = () => {
  const project = makeProject()
  for (const name of ["agent.md", "docs", "eval.yml", "lib", "plugins", "svc.config.yml"])
    cpSync(`${folder}/${name}`, project.path(name), {recursive: true})
  return project
}

describe.each(bunAnd("node24"))("the cases of the example on $name", runtime => {
  test("pass without a network or a key, by the recording that comes with them", async () => {
    const project = makeSample()
    // After a change of the agent: SVC_TEST_RECORD=1 writes the example's recording again.
    if (process.env.SVC_TEST_RECORD === "1") {
      const model = await startScriptedModel(answerSample)
      const env = {LLM_URL: model.url}
      expect(await svc(runtime, project, ["agent", "eval", "eval.yml", "--record"], {env})).toMatchObject({code: 0})
      const {schema, ...file} = JSON.parse(project.read(recorded))
      writeFileSync(`${folder}/${recorded}`, `${JSON.stringify({schema, note, ...file}, undefined, 2)}\n`)
    }
    cpSync(`${folder}/${recorded}`, project.path(recorded))
    const env = {LLM_URL: "http://127.0.0.1:1/v1"}
    const {code, stdout, stderr} = await svc(runtime, project, ["agent", "eval", "eval.yml", "--json"], {env})
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
    const told = JSON.parse(stdout)
    expect(told).toMatchObject({ok: true, note, models: [{passed: 10, failed: 0}]})
  })
})
