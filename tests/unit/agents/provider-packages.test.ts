import {mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import {isInstalled, loadPackage} from "../../../server/agents/providers/packages.ts"
import {type AgentProvider, agentProviders} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {Secret} from "../../../shared/secret.ts"
import {modelIn} from "../../support/agents/bindings.ts"
import {errorOf} from "../../support/host/problems.ts"
import {makeFolder} from "../../support/machine/folders.ts"

const hide = (text: string) => text
const providers = Object.keys(agentProviders) as AgentProvider[]

const install = (project: string, provider: AgentProvider, code: string) => {
  const name = agentProviders[provider]
  const folder = join(project, "node_modules", name)
  mkdirSync(folder, {recursive: true})
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({name, version: "1.0.0", type: "module", exports: "./a.js"}),
  )
  writeFileSync(join(folder, "a.js"), code)
}

const problemOf = async (made: Promise<unknown>): Promise<string> => {
  const error = await errorOf(made)
  if (!(error instanceof Problem)) throw new Error(`no Problem: ${error}`)
  expect(error.code).toBe("agent_misconfigured")
  return error.message
}

test.each(providers)("a missing package is named with the command that installs it: %s", async provider => {
  const [project, own] = [makeFolder(), makeFolder()]
  expect(isInstalled(agentProviders[provider], project, own)).toBe(false)
  const problem = await problemOf(loadPackage(agentProviders[provider], project, own))
  const command = process.versions.bun === undefined ? "npm install --save-exact" : "bun add --exact"
  expect(problem).toMatch(new RegExp(`run ${command} ${agentProviders[provider]}@\\d+\\.\\d+\\.\\d+$`))
})

test("a package installed later is found, also in a folder above the project", async () => {
  const [above, own] = [makeFolder(), makeFolder()]
  const project = join(above, "bots", "one")
  expect(isInstalled("@ai-sdk/google", project, own)).toBe(false)
  install(above, "google", "export const made = 1")
  expect(isInstalled("@ai-sdk/google", project, own)).toBe(true)
  expect(await loadPackage("@ai-sdk/google", project, own)).toMatchObject({made: 1})
})

test("the project's package comes before svc's, and looking for it does not load it", async () => {
  const project = makeFolder()
  install(project, "anthropic", "globalThis.loadedByTest = true; export const made = 2")
  expect(isInstalled("@ai-sdk/anthropic", project)).toBe(true)
  expect(Reflect.get(globalThis, "loadedByTest")).toBeUndefined()
  expect(await loadPackage("@ai-sdk/anthropic", project)).toMatchObject({made: 2})
})

test("svc's own package serves a project without one", async () => {
  expect(await loadPackage("@ai-sdk/anthropic", makeFolder())).toHaveProperty("createAnthropic")
})

test("a package that does not load, or has another version, is named with the command", async () => {
  const project = makeFolder()
  install(project, "google", "import 'a-package-that-is-not-there'")
  install(
    project,
    "anthropic",
    "export const createAnthropic = () => () => ({specificationVersion: 'v3', doStream() {}})",
  )
  const key = new Secret("key")
  const open = (provider: string) => openModel(modelIn({provider, key}), {project, hide})
  expect(await problemOf(open("google"))).toMatch(/does not load: .*a-package-that-is-not-there.*@ai-sdk\/google@/)
  expect(await problemOf(open("anthropic"))).toMatch(/\bversion\b.*@ai-sdk\/anthropic@/)
})

test.each([
  [
    {provider: "nonsense"},
    /agents\.helper\.provider: unknown provider nonsense; expected one of openai-compatible, anthropic, google/,
  ],
  [{provider: "anthropic"}, /agents\.helper\.key is missing.*\$\{NAME\}/],
  [{provider: "google", baseURL: "http://127.0.0.1"}, /agents\.helper\.key is missing/],
  [{provider: "openai-compatible"}, /agents\.helper\.key is missing: https:\/\/api\.openai\.com\/v1/],
  [{baseURL: "http://"}, /agents\.helper\.baseURL is not an address/],
  [{key: new Secret("sk-with\nbreak")}, /agents\.helper\.key has a space, a line break/],
])("a binding that cannot be opened says why: %o", async (settings, expected) => {
  const problem = await problemOf(openModel(modelIn(settings), {project: makeFolder(), hide}))
  expect(problem).toMatch(expected)
  expect(problem).not.toContain("sk-with")
})

test("a self-hosted server needs no key", async () => {
  const made = openModel(modelIn({baseURL: "http://127.0.0.1:11434/v1"}), {project: makeFolder(), hide})
  await expect(made).resolves.toHaveProperty("call")
})
