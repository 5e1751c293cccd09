import {Problem} from "../../shared/problems.ts"
import {isOwnMethod, methodKinds, type OwnMethods} from "../../shared/sdk/adapter/own-methods.ts"
import type {Feature} from "../../shared/sdk/adapter/sender.ts"
import {kindOf} from "../../shared/sdk/content/satori-methods.ts"
import {whatIsAround} from "../runtime/flow/around.ts"
import {didYouMean} from "../runtime/text/suggest.ts"
import type {EndpointSpec} from "./spec.ts"

export interface Caller {
  readonly name: string
  /** Does it declare `platform`? */
  readonly platform?: boolean
}

interface Known {
  require(name: string): {readonly spec: Pick<EndpointSpec, "methods">}
  requireFeature(name: string, feature: Feature): void
}

export interface MethodUse {
  readonly reads: boolean
  readonly acts: boolean
  /** Of a platform's own method: may it be called twice without harm? The adapter decides about one of Satori. */
  readonly repeats?: boolean
}

/**
 * Returns how a plugin may call a method of an endpoint. Throws `endpoint_unknown`, `unsupported`, `request_invalid` if
 * the plugin does not declare `platform`, and `tool_effect` in an agent's tool.
 */
export const requireMethod = (
  endpoints: Known,
  endpoint: string,
  method: string,
  plugin: Caller | undefined,
): MethodUse => {
  if (!isOwnMethod(method)) {
    endpoints.requireFeature(endpoint, method as Feature)
    const kind = kindOf(method)?.is
    return {reads: kind === undefined || kind === "read", acts: kind !== "read"}
  }
  const {methods} = endpoints.require(endpoint).spec
  const kind = methodKinds.find(each => namesOf(methods, each).includes(method))
  if (kind === undefined) throw unsupported(endpoint, method, methods)
  requirePlatform(method, plugin)
  return {reads: kind === "reads", acts: kind !== "reads", repeats: kind === "sets"}
}

const namesOf = (methods: OwnMethods | undefined, kind: (typeof methodKinds)[number]): readonly string[] =>
  (methods?.[kind] ?? []).map(name => `${methods?.name}/${name}`)

const unsupported = (endpoint: string, method: string, methods: OwnMethods | undefined): Problem => {
  const near = didYouMean(
    method,
    methodKinds.flatMap(kind => namesOf(methods, kind)),
  )
  const own =
    methods === undefined ? "its adapter has no methods of a platform" : `its methods begin with ${methods.name}/`
  return new Problem("unsupported", `${endpoint} cannot ${method}${near}; ${own}`, {
    hint: "docs/reference/features.md lists the methods of svc's own adapters.",
  })
}

const requirePlatform = (method: string, plugin: Caller | undefined): void => {
  requireNoTool(method)
  if (plugin?.platform === true) return
  throw new Problem(
    "request_invalid",
    `the plugin ${plugin?.name} does not declare platform, so it may not ${method}`,
    {hint: "Add platform: true to its definePlugin."},
  )
}

/** Throws `tool_effect` in a call of an agent's tool, also in a service that it calls. */
export const requireNoTool = (what: string): void => {
  const tool = whatIsAround()?.tool
  if (tool !== undefined)
    throw new Problem("tool_effect", `the tool ${tool} may not call ${what}`, {
      hint: "Agents have no methods of platforms. Let a command, a button or a route call it.",
    })
}
