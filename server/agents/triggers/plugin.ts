import {agentsPluginName, type Binding} from "../../../shared/agents/binding.ts"
import type {AgentTrigger} from "../../../shared/agents/states.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {
  channelType,
  definePlugin,
  type LocalText,
  type PluginDefinition,
  Problem,
  type SatoriEvent,
  type Session,
  type Static,
  Type,
} from "../../../shared/sdk/sdk.ts"
import {permissions} from "../../../shared/sdk/session/permission.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {trimSpace} from "../../../shared/sdk/text/typed.ts"
import type {BuiltIn} from "../../generation/plugins/load.ts"
import {calledBy, mentionsIn} from "../../messages/command/called.ts"
import {mayUse} from "../../messages/command/permissions.ts"
import {type Reception, type Wants, wantsKey} from "../../messages/session/handler.ts"
import {builtInTexts, type HostTexts, type Say} from "../../messages/texts/host-texts.ts"
import type {HostText} from "../../messages/texts/tables.ts"
import {partyOf} from "../../workroom/party.ts"
import type {Approval} from "../approval/approvals.ts"
import type {MemoryPlace} from "../memory/places.ts"
import type {Memory} from "../memory/rows.ts"
import type {AgentService} from "../runs/service.ts"
import {mayStart} from "../strangers/members.ts"
import {admitAction, admitPermission} from "../strangers/pairings.ts"
import type {StrangersDesk} from "../strangers/strangers.ts"
import {isInput, longestInput} from "./input.ts"
import {addMemoryCommands} from "./memory-commands.ts"

/** The parts of a running Host's agents that chat uses. */
export interface AgentDesk extends Pick<AgentService, "queue" | "decide">, StrangersDesk {
  approval(id: string): Promise<Approval | undefined>
  /** Whether the bot may send a notice in this conversation now: once a minute. */
  maySay(endpoint: string, channel: string): boolean
  texts(): HostTexts | undefined
  /** Resolves to the memories that a user's own messages led to and that these places show. */
  ownMemories(places: readonly MemoryPlace[]): Promise<readonly Memory[]>
  /** Deletes such memories, wherever they were made. Resolves to how many. */
  forgetMemories(places: readonly MemoryPlace[], which: number | "all"): Promise<number>
}

export const WakeData = Type.Object(
  {
    agent: Type.String(),
    note: Type.String({maxLength: 10_000}),
    /** The permission of a run without a user: a timer never grants more than the run had that set it. */
    permission: Type.Optional(Type.Enum([...permissions])),
  },
  {additionalProperties: false},
)

export type WakeData = Static<typeof WakeData>

/** From this age on, in milliseconds, the Host tells the agent how old an event is. */
const toldFrom = 300_000

/** Returns what every request of a session's event to an agent has. */
const requestOf = ({event, endpoint, age}: Session, agent: string) => ({
  agent,
  request: `inbox/${event.sn}/${agent}`,
  event: event.sn,
  endpoint,
  ...(age < toldFrom ? {} : {age}),
})

/** The timer that starts a run. */
export const wakeTimer = "wake"

const DecisionData = Type.Object({approval: Type.String(), approve: Type.Boolean()}, {additionalProperties: false})

/** The action that decides on an approval. Its buttons work as long as possible. */
export const decideAction = {
  name: "decide",
  id: `root/${agentsPluginName}/action/decide`,
  definition: {data: DecisionData, expires: 30 * 24 * 60 * 60},
} as const

/** Returns the plugin that starts runs from chat and decides on their calls. Its settings are the enabled bindings. */
const agentsPlugin = (desk: AgentDesk): PluginDefinition => {
  const sayIn = (language: string): Say => (desk.texts() ?? builtInTexts).in(language)
  return definePlugin({
    description: "Lets users ask this project's agents from chat",
    config: Type.Unknown(),
    setup(plugin, config) {
      if (!Array.isArray(config))
        throw new Problem(
          "plugin_invalid",
          "agents are not a plugin: configure them under agents, and remove this entry",
        )
      const bindings = config as readonly Binding[]
      const ask = async (session: Session, binding: Binding, trigger: AgentTrigger, input: string) => {
        const {endpoint, channel, user, permission, language} = session
        const say = sayIn(language)
        const {permission: needed, pairing} = binding.config.triggers
        const refuse = (key: HostText) =>
          desk.maySay(endpoint, channel?.id ?? user?.id ?? "")
            ? say(key, {agent: binding.name, limit: longestInput, permission: needed})
            : undefined
        if (!mayStart(permission, needed, needed === "member" && (await desk.isMember(session)))) {
          const paired = needed === "member" && pairing ? await desk.pair(session, binding) : undefined
          if (paired?.is === "code") return say("agent.code", {code: paired.code})
          return paired?.is === "told" ? undefined : refuse(needed === "member" ? "agent.member" : "agent.permission")
        }
        if (trigger !== "command" && (await desk.isLoop(session))) {
          if (desk.maySay("loop", endpoint))
            session.log.warn(`${binding.name} stays silent: a bot at ${endpoint} seems to answer each answer`)
          return undefined
        }
        if (!isInput(input)) return refuse("agent.length")
        try {
          await desk.queue({
            ...requestOf(session, binding.name),
            trigger,
            input,
            channel: channel ?? {id: user?.id ?? "", type: channelType.direct},
            ...(user === undefined ? {} : {user}),
          })
          session.typing()
          return undefined
        } catch (error) {
          const text = refusalOf(error)
          if (text === undefined) throw error
          return refuse(text)
        }
      }

      for (const binding of bindings) {
        const {command} = binding.config.triggers
        if (command === undefined) continue
        const about: LocalText = {in: language => sayIn(language)("agent.description", {agent: binding.name})}
        plugin.command(`${command} <question:text>`, {description: about}, ({args, session}) =>
          ask(session, binding, "command", String(fieldsOf(args).question ?? "")),
        )
      }

      addMemoryCommands(plugin, desk, bindings, sayIn)

      plugin.on("message-created", choosing("chat", wantsChat(bindings)), session => {
        // The event was chosen for this handler when it arrived.
        const found = chatOf(bindings, session.event, {isTaken: false, isAddressed: true})
        return found === undefined ? undefined : ask(session, found.binding, found.trigger, questionOf(session))
      })

      for (const type of new Set(bindings.flatMap(({config: {triggers}}) => triggers.events.map(each => each.type)))) {
        const wanting = (endpoint: string) => wantingEvents(bindings, type, endpoint)
        const wants: Wants = (_, {endpoint}) => wanting(endpoint).length > 0
        plugin.on(type as "message-created", choosing("events", wants), async session => {
          for (const binding of wanting(session.endpoint)) await queueEvent(desk, binding, session)
        })
      }

      plugin.timer(wakeTimer, {data: WakeData}, async ({event, endpoint, channel, user}, {agent, note, permission}) => {
        await desk.queue({
          agent,
          trigger: "timer",
          input: note,
          request: `inbox/${event.sn}/${agent}`,
          event: event.sn,
          ...(channel === undefined ? {} : {endpoint, channel, ...(user === undefined ? {} : {user})}),
          ...(permission === undefined ? {} : {permission}),
        })
      })

      plugin.action(decideAction.name, decideAction.definition, async ({data, session}) => {
        const say = sayIn(session.language)
        const approval = await desk.approval(data.approval)
        if (approval === undefined) return say("press.gone")
        if (!mayUse(session.permission, approval.permission))
          return say("agent.mayNot", {permission: approval.permission})
        try {
          await desk.decide(data.approval, {approve: data.approve, by: partyOf(session.endpoint, session.user?.id)})
        } catch (error) {
          if (error instanceof Problem && error.code === "approval_state") return say("agent.decided")
          throw error
        }
        return say(data.approve ? "agent.approved" : "agent.denied", {tool: approval.tool})
      })

      plugin.action(admitAction.name, admitAction.definition, async ({data, session}) => {
        const say = sayIn(session.language)
        if (!mayUse(session.permission, admitPermission)) return say("agent.mayNot", {permission: admitPermission})
        try {
          const {user} = await desk.admit(data.code, partyOf(session.endpoint, session.user?.id))
          return say("agent.admitted", {user})
        } catch (error) {
          if (error instanceof Problem && error.code === "pairing_unknown") return say("press.gone")
          throw error
        }
      })
    },
  })
}

/** Returns the text for a refusal in chat; undefined for a failure. */
const refusalOf = (error: unknown): HostText | undefined => {
  if (!(error instanceof Problem)) return undefined
  if (error.code === "agent_limit") return "agent.today"
  return error.code.startsWith("agent_") || error.code === "ingress_paused" ? "agent.off" : undefined
}

const choosing = (name: string, wants: Wants) => ({name, [wantsKey]: wants})

const wantsChat =
  (bindings: readonly Binding[]): Wants =>
  (event, reception) =>
    wantingEvents(bindings, messageType, reception.endpoint).length === 0 &&
    chatOf(bindings, event, reception) !== undefined

const messageType = "message-created"

/** Returns the agents that handle events of this type and endpoint. Such events are not chat: runs have no user. */
const wantingEvents = (bindings: readonly Binding[], type: string, endpoint: string): readonly Binding[] =>
  bindings.filter(({config: {triggers}}) =>
    triggers.events.some(each => each.type === type && each.endpoint === endpoint),
  )

/** Returns the first agent that a message addresses. */
const chatOf = (
  bindings: readonly Binding[],
  event: SatoriEvent,
  {isTaken, isAddressed}: Pick<Reception, "isTaken" | "isAddressed">,
): {readonly binding: Binding; readonly trigger: "mention" | "direct"} | undefined => {
  if (isTaken || event.user?.is_bot === true || event.user === undefined) return undefined
  const isDirect = event.channel === undefined || event.channel.type === channelType.direct
  const trigger = isDirect ? "direct" : "mention"
  if (!isDirect && !isAddressed && mentionsIn(event).length === 0) return undefined
  const binding = bindings.find(({config: {triggers}}) => triggers[trigger])
  return binding && {binding, trigger}
}

/** Returns the question without the bot's name at the front. */
const questionOf = ({text, event}: Session): string => trimSpace(calledBy(text, event)?.words ?? "") || trimSpace(text)

/** An event of an endpoint starts a run without a user, even if a user sent it. */
const queueEvent = async (desk: AgentDesk, {name}: Binding, session: Session): Promise<void> => {
  const {event, text, channel} = session
  const input = text === "" ? toJson(event._data ?? event) : text
  try {
    await desk.queue({
      ...requestOf(session, name),
      trigger: "event",
      input: input.slice(0, longestInput),
      ...(channel === undefined ? {} : {channel}),
    })
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    session.log.warn(`could not start a run of ${name}: ${messageOf(error)}`)
  }
}

/** The built-in plugin `agents`, for a Host's agents. */
export const agentsPluginOf = (desk: AgentDesk): BuiltIn => ({default: agentsPlugin(desk)})

/** The same plugin without a running Host: it is set up, but never called. */
export const closedAgentsPlugin = (): BuiltIn => agentsPluginOf(closedDesk)

const refuse = async (): Promise<never> => {
  throw new Problem("starting", "no agent runs here")
}

/** Uses svc's built-in texts, which the help of commands needs. */
const closedDesk: AgentDesk = {
  queue: refuse,
  decide: refuse,
  approval: refuse,
  maySay: () => false,
  isMember: refuse,
  isLoop: refuse,
  pair: refuse,
  admit: refuse,
  texts: () => undefined,
  ownMemories: refuse,
  forgetMemories: refuse,
}
