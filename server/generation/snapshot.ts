import type {Binding} from "../../shared/agents/binding.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {capabilityId} from "../../shared/ids.ts"
import type {Log} from "../../shared/log.ts"
import type {Issue} from "../../shared/problems.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {EndpointSpec} from "../endpoints/spec.ts"
import {permissionBy, readRules} from "../messages/command/permissions.ts"
import {readLanguages} from "../messages/language/languages.ts"
import {createMessageTable} from "../messages/table.ts"
import type {HostTexts} from "../messages/texts/host-texts.ts"
import {endpointIssues} from "./checks/endpoint-issues.ts"
import type {Capability, Snapshot} from "./generation.ts"
import type {Instance} from "./instances/instance.ts"
import {joinPublished} from "./instances/registrations.ts"
import type {Published} from "./kinds/kind.ts"
import {knownLanguages} from "./languages/known-languages.ts"

/** Combines the declarations of the instances, and finds conflicts. `secrets` are those of the accounts, for masking. */
export const buildSnapshot = (
  loaded: LoadedConfig,
  instances: readonly Instance[],
  agents: ReadonlyMap<string, Binding>,
  texts: HostTexts,
  log: Log,
): {readonly snapshot: Snapshot; readonly issues: readonly Issue[]; readonly secrets: readonly string[]} => {
  const config = loaded.config as ProjectConfig
  const issues: Issue[] = []
  const secrets: string[] = []
  const capabilities: Capability[] = []
  const claimed = new Map<string, string>()
  const known = knownLanguages(loaded, instances)
  const published = instances.map(instance => {
    const {name: plugin, path: owner} = instance
    const report = (message: string) => issues.push(loaded.source.issue(["plugins", plugin], message, "key"))
    for (const name of ["platform", "raw"] as const) {
      const id = capabilityId(owner, "access", name)
      if (instance.side[name] === true) capabilities.push(Object.freeze({id, owner, kind: "access", name}))
    }
    const all = instance.publish({loaded, texts, language: known[0], report, issues, secrets})
    for (const {capabilities: own = [], claims = []} of Object.values<Published<unknown>>(all)) {
      for (const {kind, name, description} of own) {
        const id = capabilityId(owner, kind, name)
        const described = description === undefined ? {} : {description}
        capabilities.push(Object.freeze({id, owner, kind, name, ...described}))
      }
      for (const claim of claims) {
        const first = claimed.get(claim)
        if (first === undefined) claimed.set(claim, owner)
        else report(`${claim} is also published by ${first}`)
      }
    }
    return all
  })
  const {adapters, webhooks, jobs, tools, routes, pages, forms, ...handlers} = joinPublished(published)
  const all = [...adapters, ...webhooks]
  const endpoints = all.map(({spec}) => spec)
  const adapterOf = new Map(all.map(({spec: {name}, adapter}) => [name, adapter]))
  issues.push(...endpointIssues(loaded, instances, adapterOf))
  const idRules = new Map([...adapterOf].map(([name, {ignoresCase = false}]) => [name, {ignoresCase}]))
  const ruleOf = readRules(config.permissions, idRules)
  const messages = createMessageTable({
    ...handlers,
    handlers: [...handlers.handlers, ...webhooks.map(({handler}) => handler)],
    prompts: [...handlers.prompts, ...forms.map(({prompt}) => prompt)],
    actions: [...handlers.actions, ...forms.map(({action}) => action)],
    forms: forms.map(({form}) => form),
    prefixes: config.commands.prefixes,
    failureText: config.messages.failure,
    ages: agesOf(config, endpoints),
    orders: config.inbox.order,
    rates: config.inbox.limits,
    permissionOf: permissionBy(config.permissions, ruleOf),
    ruleOf,
    languages: readLanguages({known, rules: config.languages.rules}, idRules),
    texts,
    log,
  })
  return {
    snapshot: Object.freeze({
      messages,
      endpoints,
      idRules,
      jobs: new Map(jobs),
      tools: new Map(tools),
      routes,
      pages,
      capabilities,
      agents,
    }),
    issues,
    secrets,
  }
}

const agesOf = ({inbox: {maxAge}}: ProjectConfig, endpoints: readonly EndpointSpec[]) => {
  const {notice: tells, ...host} = maxAge
  return {byEndpoint: new Map(endpoints.map(spec => [spec.name, spec.maxAges ?? {}])), host, tells}
}
