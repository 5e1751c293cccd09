import type {Binding} from "../../../shared/agents/binding.ts"
import {channelType, type LocalText, type Plugin, type Session} from "../../../shared/sdk/sdk.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {Say} from "../../messages/texts/host-texts.ts"
import type {HostText} from "../../messages/texts/tables.ts"
import type {MemoryPlace} from "../memory/places.ts"
import type {Memory} from "../memory/rows.ts"

interface MemoryDesk {
  ownMemories(places: readonly MemoryPlace[]): Promise<readonly Memory[]>
  forgetMemories(places: readonly MemoryPlace[], which: number | "all"): Promise<number>
}

/** The most memories in one list. */
const mostListed = 30

/** Adds the commands with which users see and delete what agents remember because of them. */
export const addMemoryCommands = (
  plugin: Plugin,
  desk: MemoryDesk,
  bindings: readonly Binding[],
  sayIn: (language: string) => Say,
): void => {
  const agents = bindings.filter(({config}) => config.memory?.commands === true).map(({name}) => name)
  if (agents.length === 0) return
  const about = (key: HostText): LocalText => ({in: language => sayIn(language)(key)})
  plugin.command("memory", {description: about("memory.description")}, async ({session}) => {
    const found = await desk.ownMemories(placesOf(session, agents))
    if (found.length === 0) return sayIn(session.language)("memory.none")
    const more = found.length > mostListed ? [`… ${found.length - mostListed}`] : []
    return [...found.slice(0, mostListed).map(lineOf), ...more].join("\n")
  })
  plugin.command("forget <which:string>", {description: about("memory.forget")}, async ({args, session}) => {
    const which = String(fieldsOf(args).which ?? "")
    const say = sayIn(session.language)
    if (which !== "all" && !/^[1-9]\d{0,14}$/.test(which)) return say("memory.unknown")
    const places = placesOf(session, agents)
    const count = await desk.forgetMemories(places, which === "all" ? which : Number(which))
    return count === 0 ? say("memory.unknown") : say("memory.forgotten", {count: String(count)})
  })
}

const placesOf = ({endpoint, channel, user}: Session, agents: readonly string[]): readonly MemoryPlace[] => {
  if (user === undefined) return []
  const isDirect = channel === undefined || channel.type === channelType.direct
  return agents.map(agent => ({agent, endpoint, channel: channel?.id ?? user.id, user, isDirect}))
}

const lineOf = ({id, agent, author, channel, text, createdAt}: Memory): string =>
  `${id} · ${new Date(createdAt).toISOString().slice(0, 10)} · ${agent} · ${author.name ?? author.id}, ${channel} · ${text}`
