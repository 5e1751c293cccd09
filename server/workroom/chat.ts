import {type ItemState, itemStates} from "../../shared/api/item-rules.ts"
import type {Command, Item} from "../../shared/api/workroom.ts"
import {timeFrom} from "../../shared/duration.ts"
import {definePlugin, type PluginDefinition, Problem, type Session, Type} from "../../shared/sdk/sdk.ts"
import {partyOf} from "./party.ts"
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

type Change = Exclude<Command, {is: "add" | "authority" | "overdue"}>
type Bare<T> = T extends unknown ? Omit<T, "expectedRevision" | "request"> : never

/** Lists in chat are short. */
const mostListed = 10

/** Work items from chat. Who writes is the actor; what they may do is what the rules of `permissions` give them. */
export const workroomPlugin = (workroom: () => Workroom): PluginDefinition<typeof Settings> =>
  definePlugin({
    description: "Work items from chat",
    config: Settings,
    setup(plugin, {read = "trusted", work = "trusted", decide = "admin"}) {
      /** Makes the command against the item as it is; a handler that runs again after a crash does it once. */
      const change = async (session: Session, id: number, command: Bare<Change>): Promise<string> =>
        answer(async () => {
          const {revision} = workroom().item(id)
          const request = `inbox/${session.event.sn}`
          const item = await workroom().run({
            actor: actorOf(session),
            item: id,
            command: {...command, request, expectedRevision: revision} as Change,
          })
          return lineOf(item)
        })

      plugin.command(
        "item add <title:text>",
        {description: "Add a work item", permission: work, examples: ["item add write the docs"]},
        ({args, session}) =>
          answer(async () => {
            const {channel, endpoint} = session
            const item = await workroom().run({
              actor: actorOf(session),
              item: 0,
              command: {
                is: "add",
                title: args.title.slice(0, 200),
                description: args.title.length > 200 ? args.title : "",
                priority: "normal",
                labels: [],
                assignee: null,
                conversation: channel === undefined ? null : {endpoint, channel: channel.id},
                request: `inbox/${session.event.sn}`,
              },
            })
            return lineOf(item)
          }),
      )
      plugin.command(
        "item list [state]",
        {description: "List work items: the open ones, or those in a state", permission: read},
        ({args}) => answer(async () => list(workroom().items, args.state)),
      )
      plugin.command("item show <id:integer>", {description: "Show a work item", permission: read}, ({args}) =>
        answer(async () => describeItem(workroom().item(args.id))),
      )
      plugin.command(
        "item claim <id:integer>",
        {description: "Take a work item; also one whose work was not accepted", permission: work},
        ({args, session}) => change(session, args.id, {is: "claim", assignee: actorOf(session)}),
      )
      plugin.command(
        "item block <id:integer> <reason:text>",
        {
          description: "Say what a work item waits for",
          permission: work,
          options: {until: {type: "string", description: "a date, or a time from now such as 2d"}},
          examples: ["item block 12 waiting for the printer", "item block 12 waiting for parts --until 2d"],
        },
        ({args, options, session}) => {
          const deadline = options.until === undefined ? null : timeFrom(options.until, Date.now())
          if (deadline === undefined) return `--until is a date such as 2030-01-31, or a time from now such as 2d.`
          return change(session, args.id, {is: "block", reason: args.reason, owner: null, deadline})
        },
      )
      plugin.command(
        "item unblock <id:integer>",
        {description: "Go on with a blocked work item", permission: work},
        ({args, session}) => change(session, args.id, {is: "unblock"}),
      )
      plugin.command(
        "item review <id:integer>",
        {description: "Hand a work item in for review", permission: work},
        ({args, session}) => change(session, args.id, {is: "review"}),
      )
      plugin.command(
        "item accept <id:integer>",
        {description: "Accept a reviewed work item: it is done", permission: decide},
        ({args, session}) => change(session, args.id, {is: "accept"}),
      )
      plugin.command(
        "item cancel <id:integer> [reason:text]",
        {description: "Give a work item up", permission: decide},
        ({args, session}) => change(session, args.id, {is: "cancel", reason: args.reason ?? null}),
      )
      plugin.command(
        "item comment <id:integer> <text:text>",
        {description: "Say something about a work item", permission: work},
        ({args, session}) => change(session, args.id, {is: "comment", text: args.text.slice(0, 4000)}),
      )
    },
  })

const actorOf = ({endpoint, user}: Session): string => partyOf(endpoint, user?.id)

/** A refusal is an answer, a failure of the store is not. */
const answer = async (work: () => Promise<string>): Promise<string> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return `${error.message}.`
    throw error
  }
}

const isState = (text: string): text is ItemState => itemStates.some(state => state === text)

const list = (items: readonly Item[], state: string | undefined): string => {
  if (state !== undefined && !isState(state)) return `There is no state "${state}"; there is ${itemStates.join(", ")}.`
  const wanted = items.filter(item => (state === undefined ? isOpen(item) : item.state === state)).reverse()
  if (wanted.length === 0) return state === undefined ? "No item is open." : `No item is ${state}.`
  const more = wanted.length > mostListed ? [`and ${wanted.length - mostListed} more`] : []
  return [...wanted.slice(0, mostListed).map(lineOf), ...more].join("\n")
}

const isOpen = ({state}: Item) => state !== "done" && state !== "cancelled"

const lineOf = ({id, state, title, assignee, blocker}: Item): string => {
  const who = assignee === null ? "" : ` (${assignee})`
  const why = blocker === null ? "" : `: ${blocker.reason}${blocker.overdue ? ", overdue" : ""}`
  return `#${id} ${state}${why} - ${title}${who}`
}

const describeItem = (item: Item): string =>
  [
    lineOf(item),
    ...(item.description === "" ? [] : [item.description]),
    `priority ${item.priority}, added by ${item.createdBy} at ${item.createdAt}`,
    ...(item.blocker?.deadline == null ? [] : [`until ${item.blocker.deadline}`]),
    ...item.comments.slice(-3).map(({actor, text}) => `${actor}: ${text}`),
  ].join("\n")
