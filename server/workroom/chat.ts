import {type ItemState, itemStates, takenIn} from "../../shared/api/item-rules.ts"
import type {Item} from "../../shared/api/workroom.ts"
import {timeFrom} from "../../shared/duration.ts"
import {
  definePlugin,
  type LocalText,
  type Permission,
  type PluginDefinition,
  Problem,
  type Session,
  Type,
  type WorkItemChange,
  workItems,
} from "../../shared/sdk/sdk.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {builtInTexts, type HostTexts, type Say} from "../messages/texts/host-texts.ts"
import type {HostText} from "../messages/texts/tables.ts"
import {addFrom, commandFrom} from "./bodies.ts"
import {commandOnce} from "./command-once.ts"
import {partyOf} from "./party.ts"
import {workItemsOf} from "./service.ts"
import {type ItemCommand, mostComments} from "./store/transitions.ts"
import type {Workroom} from "./workroom.ts"

const Level = (what: string, fallback: "trusted" | "admin") =>
  Type.Optional(Type.Enum(["user", "trusted", "admin"], {default: fallback, description: what}))

const Settings = Type.Object(
  {
    read: Level("Who may list and show items.", "trusted"),
    work: Level("Who may add, claim, block, unblock, hand in and comment.", "trusted"),
    decide: Level("Who may accept and cancel.", "admin"),
  },
  {additionalProperties: false},
)

/** Lists in chat are short. */
const mostListed = 10

/** Work items from chat. The sender is the actor; the rules of `permissions` decide what the sender may do. */
export const workroomPlugin = (
  workroom: () => Workroom,
  texts: () => HostTexts | undefined = () => undefined,
): PluginDefinition<typeof Settings> => {
  const sayIn = (language: string): Say => (texts() ?? builtInTexts).in(language)
  const about = (key: HostText): LocalText => ({in: language => sayIn(language)(key)})
  return definePlugin({
    description: "Work items from chat",
    config: Settings,
    setup(plugin, {read = "trusted", work = "trusted", decide = "admin"}) {
      plugin.provide(workItems, workItemsOf(workroom, plugin))

      /** Changes an item as its current state allows. A handler repeated after a crash changes it once. */
      const change = async (session: Session, id: number, asked: WorkItemChange): Promise<string> =>
        answer(id, sayIn(session.language), asked.is, async say => {
          const actor = actorOf(session)
          const request = `inbox/${session.event.sn}`
          const command = commandFrom(actor, asked)
          return lineOf(await commandOnce(workroom(), {actor, item: id, request, command}), say)
        })

      plugin.command(
        "item add <title:text>",
        {description: about("workroom.add"), permission: work, examples: ["item add write the docs"]},
        ({args, session, session: {channel, endpoint}}) =>
          answer(0, sayIn(session.language), "add", async say => {
            const added = addFrom(actorOf(session), {
              title: args.title.slice(0, 200),
              description: args.title.length > 200 ? args.title : "",
              ...(channel === undefined ? {} : {conversation: {endpoint, channel: channel.id}}),
              request: `inbox/${session.event.sn}`,
            })
            return lineOf(await workroom().run(added), say)
          }),
      )
      plugin.command("item list [state]", {description: about("workroom.list"), permission: read}, ({args, session}) =>
        list(workroom().items, args.state, sayIn(session.language)),
      )
      plugin.command(
        "item show <id:integer>",
        {description: about("workroom.show"), permission: read},
        ({args, session}) =>
          answer(args.id, sayIn(session.language), "show", async say => describeItem(workroom().item(args.id), say)),
      )
      const step = (is: "claim" | "unblock" | "review" | "accept", permission: Permission) =>
        [
          {description: about(`workroom.${is}`), permission},
          ({args, session}: {readonly args: {readonly id: number}; readonly session: Session}) =>
            change(session, args.id, {is}),
        ] as const
      plugin.command("item claim <id:integer>", ...step("claim", work))
      plugin.command(
        "item block <id:integer> <reason:text>",
        {
          description: about("workroom.block"),
          permission: work,
          options: {until: {type: "string", description: about("workroom.block.until")}},
          examples: ["item block 12 waiting for the printer", "item block 12 waiting for parts --until 2d"],
        },
        ({args, options, session}) => {
          if (options.until === undefined) return change(session, args.id, {is: "block", reason: args.reason})
          const deadline = timeFrom(options.until, Date.now())
          if (deadline === undefined) return sayIn(session.language)("workroom.until")
          return change(session, args.id, {is: "block", reason: args.reason, deadline})
        },
      )
      plugin.command("item unblock <id:integer>", ...step("unblock", work))
      plugin.command("item review <id:integer>", ...step("review", work))
      plugin.command("item accept <id:integer>", ...step("accept", decide))
      plugin.command(
        "item cancel <id:integer> [reason:text]",
        {description: about("workroom.cancel"), permission: decide},
        ({args, session}) =>
          change(session, args.id, {is: "cancel", ...(args.reason === undefined ? {} : {reason: args.reason})}),
      )
      plugin.command(
        "item comment <id:integer> <text:text>",
        {description: about("workroom.comment"), permission: work},
        ({args, session}) => change(session, args.id, {is: "comment", text: args.text.slice(0, 4000)}),
      )
    },
  })
}

const actorOf = ({endpoint, user}: Session): string => partyOf(endpoint, user?.id)

/** A refusal is an answer; a failure of the store is not. */
const answer = async (
  id: number,
  say: Say,
  command: ItemCommand["is"] | "add" | "show",
  work: (say: Say) => Promise<string>,
): Promise<string> => {
  try {
    return await work(say)
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return refusal(error, id, say, command)
    throw error
  }
}

const refusal = (problem: Problem, id: number, say: Say, command: ItemCommand["is"] | "add" | "show"): string => {
  if (problem.code === "workroom_unknown") return say("workroom.unknown", {id})
  const {state} = fieldsOf(problem.current)
  if (problem.code !== "workroom_state" || command === "add" || command === "show") return `${problem.message}.`
  const takes = takenIn[command]
  if (takes.some(each => each === state)) return say("workroom.full", {id, count: mostComments})
  return say("workroom.state", {id, command, state: String(state), wanted: takes.join(say("workroom.or"))})
}

const isState = (text: string): text is ItemState => itemStates.some(state => state === text)

const list = (items: readonly Item[], state: string | undefined, say: Say): string => {
  if (state !== undefined && !isState(state)) return say("workroom.noState", {state, states: itemStates.join(", ")})
  const wanted = items.filter(item => (state === undefined ? isOpen(item) : item.state === state)).reverse()
  if (wanted.length === 0) return state === undefined ? say("workroom.noneOpen") : say("workroom.none", {state})
  const more = wanted.length > mostListed ? [say("workroom.more", {count: wanted.length - mostListed})] : []
  return [...wanted.slice(0, mostListed).map(item => lineOf(item, say)), ...more].join("\n")
}

const isOpen = ({state}: Item) => state !== "done" && state !== "cancelled"

const lineOf = ({id, state, title, assignee, blocker}: Item, say: Say): string => {
  const who = assignee === null ? "" : ` (${assignee})`
  const why =
    blocker === null ? "" : `: ${blocker.overdue ? say("workroom.overdue", {reason: blocker.reason}) : blocker.reason}`
  return `#${id} ${state}${why} - ${title}${who}`
}

const describeItem = (item: Item, say: Say): string =>
  [
    lineOf(item, say),
    ...(item.description === "" ? [] : [item.description]),
    say("workroom.added", {priority: item.priority, author: item.createdBy, at: item.createdAt}),
    ...(item.blocker?.deadline == null ? [] : [say("workroom.deadline", {at: item.blocker.deadline})]),
    ...item.comments.slice(-3).map(({actor, text}) => `${actor}: ${text}`),
  ].join("\n")
