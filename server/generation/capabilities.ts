import {capabilityId} from "../../shared/ids.ts"
import {textIn} from "../../shared/sdk/text/texts.ts"
import {keyOf} from "../../shared/sdk/text/typed.ts"
import type {EndpointSpec} from "../endpoints/spec.ts"
import type {Command} from "../messages/command/command.ts"
import type {Instance} from "../plugins/instance.ts"
import type {Capability} from "./generation.ts"

/** A command, without its handler. */
interface Published {
  readonly command: Command
}

/** Returns the names that two plugins publish, with the second plugin. */
export const conflicts = (
  instances: readonly Instance[],
  commands: readonly Published[],
  endpoints: readonly EndpointSpec[],
): [Instance, string][] => {
  const found: [Instance, string][] = []
  const ownerOf = (path: string) => instances.find(instance => instance.path === path)
  const claim = (seen: Map<string, string>, key: string, owner: string, what: string) => {
    const first = seen.get(key)
    const instance = ownerOf(owner)
    if (first !== undefined && instance !== undefined)
      found.push([instance, `${what} "${key}" is also published by ${first}`])
    seen.set(key, first ?? owner)
  }
  const words = new Map<string, string>()
  for (const {command} of commands) {
    for (const path of [command.path, ...command.aliases])
      claim(words, path.map(keyOf).join(" "), command.owner, "the command")
  }
  const names = new Map<string, string>()
  for (const {name, owner} of endpoints) claim(names, name, owner, "the endpoint")
  const routes = new Map<string, string>()
  const services = new Map<string, string>()
  for (const instance of instances) {
    for (const name of instance.registrations.services.keys()) claim(services, name, instance.path, "the service")
    for (const {method, path} of instance.registrations.routes) {
      claim(routes, `${method} /api/plugins/${instance.name}${path}`, instance.path, "the route")
    }
  }
  return found
}

/** Returns what an instance publishes, by id. */
export const capabilitiesOf = (
  instance: Instance,
  commands: readonly Published[],
  endpoints: readonly EndpointSpec[],
  language: string,
): Capability[] => {
  const owner = instance.path
  const make = (kind: Capability["kind"], name: string, description?: string): Capability =>
    Object.freeze({
      id: capabilityId(owner, kind, name),
      owner,
      kind,
      name,
      ...(description === undefined ? {} : {description}),
    })
  return [
    ...commands
      .filter(({command}) => command.owner === owner)
      .map(({command}) => make("command", command.path.join("."), textIn(command.definition.description, language))),
    ...instance.registrations.handlers.map(({id}) => make("handler", id.slice(`${owner}/handler/`.length))),
    ...instance.hears.map(({id, shown}) => make("hears", id.slice(`${owner}/hears/`.length), shown)),
    ...instance.registrations.middleware.map(({id}) => make("middleware", id.slice(`${owner}/middleware/`.length))),
    ...[...instance.registrations.prompts.keys(), ...formsOf(instance)].map(name => make("prompt", name)),
    ...[...instance.registrations.actions.keys(), ...formsOf(instance)].map(name => make("action", name)),
    ...[...instance.registrations.timers.keys()].map(name => make("timer", name)),
    ...[...instance.registrations.jobs].map(([name, {definition}]) => make("job", name, definition.description)),
    ...[...instance.registrations.tools].map(([name, {definition}]) => make("tool", name, definition.description)),
    ...[...instance.registrations.services.keys()].map(name => make("service", name)),
    ...[...instance.registrations.adapters.keys()].map(slot => make("slot", slot)),
    ...endpoints.filter(endpoint => endpoint.owner === owner).map(({name}) => make("endpoint", name)),
    ...instance.registrations.routes.map(({method, path, summary}) => make("route", `${method} ${path}`, summary)),
    ...instance.registrations.pages.map(({path}) => make("page", path)),
  ]
}

/** A form is a prompt and an action. */
const formsOf = ({registrations: {forms}}: Instance): readonly string[] => [...forms.keys()]
