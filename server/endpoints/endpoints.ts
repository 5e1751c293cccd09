import {messageOf, Problem} from "../../shared/problems.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import type {Feature, FileRef} from "../../shared/sdk/adapter/sender.ts"
import type {Login} from "../../shared/sdk/content/satori.ts"
import type {Source} from "../runtime/outgoing/bounded-stream.ts"
import {download} from "./download.ts"
import {Endpoint, type EndpointHooks} from "./endpoint.ts"
import {type Caller, type MethodUse, requireMethod} from "./methods.ts"
import type {EndpointSpec} from "./spec.ts"

/** How long the platform may take, in milliseconds. */
const typingLimit = 5000

/** All endpoints of the running generation, by name. An endpoint stays if the next one specifies it in the same way. */
export class Endpoints {
  readonly #hooks: EndpointHooks
  #byName = new Map<string, Endpoint>()
  #started = false
  #changing: Promise<void> = Promise.resolve()

  constructor(hooks: EndpointHooks) {
    this.#hooks = hooks
  }

  get(name: string): Endpoint | undefined {
    return this.#byName.get(name)
  }

  /** Throws `endpoint_unknown`, with the names of the existing endpoints. */
  require(name: string): Endpoint {
    const found = this.#byName.get(name)
    if (found !== undefined) return found
    const known = [...this.#byName.keys()].join(", ")
    throw new Problem("endpoint_unknown", `there is no endpoint ${name}; known endpoints: ${known || "none"}`)
  }

  /** Throws `endpoint_unknown`, and `unsupported` if the endpoint's adapter does not declare the feature. */
  requireFeature(name: string, feature: Feature): void {
    const {features} = this.require(name).spec
    if (features.includes(feature)) return
    const able = features.length === 0 ? "only send messages" : `send and ${features.join(", ")}`
    throw new Problem("unsupported", `${name} cannot ${feature}; it can ${able}`)
  }

  /** Throws the errors of `requireMethod`. */
  requireMethod(name: string, method: string, plugin: Caller | undefined): MethodUse {
    return requireMethod(this, name, method, plugin)
  }

  hasFeature(name: string, feature: Feature): boolean {
    return this.#byName.get(name)?.spec.features.includes(feature) === true
  }

  /** Throws `endpoint_unknown`, and `unsupported` for a webhook, or for a user where there are no direct channels. */
  requireTarget({endpoint, user}: {readonly endpoint: string; readonly user?: string}): void {
    if (this.require(endpoint).spec.onlyReceives !== undefined)
      throw new Problem("unsupported", `${endpoint} is a webhook, which only receives; send to another endpoint`)
    if (user !== undefined) this.requireFeature(endpoint, "open")
  }

  /** Shows that the bot is typing, if the endpoint can now. */
  typing(name: string, channel: string): void {
    const endpoint = this.#byName.get(name)
    withDeadline(typingLimit, signal => endpoint?.sender?.typing?.(channel, signal)).catch(error => {
      endpoint?.spec.log.debug(`${name} did not show that the bot is writing: ${messageOf(error)}`)
    })
  }

  /** Opens a file through the endpoint's adapter; undefined if that is the Host's work. Throws as `download`. */
  async download(name: string, file: FileRef, signal: AbortSignal): Promise<Source | undefined> {
    const endpoint = this.require(name)
    return endpoint.spec.features.includes("download") ? download(endpoint, file, signal) : undefined
  }

  /** Returns who the bot is at an endpoint; for one that has not said it yet, only its platform. */
  loginOf(name: string): Login {
    const endpoint = this.#byName.get(name)
    return endpoint?.login ?? {platform: endpoint?.spec.slot ?? name}
  }

  list(): readonly Endpoint[] {
    return [...this.#byName.values()]
  }

  /**
   * Applies the endpoints of a generation. Unchanged endpoints stay as they are, except for failed ones, which get
   * another attempt. Others are closed; a new endpoint opens once the old one of the same name is closed. Resolves when
   * the old ones are closed, while new ones still connect.
   */
  apply(specs: readonly EndpointSpec[]): Promise<void> {
    const kept = new Map<string, Endpoint>()
    const fresh: Endpoint[] = []
    for (const spec of specs) {
      const old = this.#byName.get(spec.name)
      if (old?.spec.fingerprint === spec.fingerprint && old.state.is !== "failed") {
        old.adopt(spec)
        kept.set(spec.name, old)
      } else fresh.push(new Endpoint(spec, this.#hooks))
    }
    const leaving = this.list().filter(endpoint => kept.get(endpoint.spec.name) !== endpoint)
    this.#byName = new Map([...kept, ...fresh.map(endpoint => [endpoint.spec.name, endpoint] as const)])
    return this.#replace(leaving, fresh)
  }

  /**
   * Closes an endpoint and opens it again, as if its account had changed; also a failed one. Resolves once the old one
   * is closed, while the new one still connects. Throws `endpoint_unknown`.
   */
  reconnect(name: string): Promise<void> {
    const old = this.require(name)
    const fresh = new Endpoint(old.spec, this.#hooks)
    this.#byName = new Map(this.#byName).set(name, fresh)
    return this.#replace([old], [fresh])
  }

  #replace(leaving: readonly Endpoint[], fresh: readonly Endpoint[]): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      await Promise.all(leaving.map(endpoint => endpoint.leave()))
      if (this.#started) for (const endpoint of fresh) this.#open(endpoint)
    })
    return this.#changing
  }

  /** Opens the known endpoints, and from now on those that `apply` adds. */
  start(): void {
    this.#started = true
    for (const endpoint of this.list()) this.#open(endpoint)
  }

  /** Call it before a planned stop. Resolves once messages in transit to endpoints without history are stored. */
  async catchUp(): Promise<void> {
    await Promise.all(this.list().map(endpoint => endpoint.catchUp()))
  }

  /** Admits no more events. Sending continues. */
  stopAdmission(): void {
    this.#started = false
    for (const endpoint of this.list()) endpoint.stopAdmission()
  }

  #open(endpoint: Endpoint): void {
    const {name} = endpoint.spec
    const {onlyEndpoint = name} = this.#hooks
    if (this.#byName.get(name) === endpoint && name === onlyEndpoint) endpoint.open()
  }

  /** Closes all endpoints. Resolves when every adapter has finished. */
  async close(): Promise<void> {
    await this.#changing
    await Promise.all(this.list().map(endpoint => endpoint.close()))
  }
}
