import {Problem, type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

const Role = Type.Object(
  {
    id: Type.String({minLength: 1, maxLength: 200, description: "The platform's id of the role"}),
    label: Type.String({minLength: 1, maxLength: 80, description: "What its button says"}),
  },
  closed,
)

const Panel = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,39}$",
      description: "The panel's name in the command: small letters, digits and hyphens",
    }),
    text: Type.String({minLength: 1, maxLength: 1500, description: "What the message above the buttons says"}),
    roles: Type.Array(Role, {minItems: 1, maxItems: 20, description: "The roles, in the order of their buttons"}),
    one: Type.Boolean({default: false, description: "Whether people can have only one role of this panel"}),
  },
  closed,
)
export type Panel = Static<typeof Panel>

export const Settings = Type.Object(
  {
    panels: Type.Array(Panel, {minItems: 1, maxItems: 50, description: "The messages with buttons for roles"}),
    permission: Type.Enum(["trusted", "admin"], {default: "trusted", description: "Who may post a panel"}),
    answer: Type.Enum(["direct", "channel"], {
      default: "direct",
      description: "Where the bot confirms a press: to the user alone, if the platform can, or below the panel",
    }),
  },
  closed,
)

/** The data of a button. It names the panel, so that a changed configuration applies to messages posted before. */
export const Choice = Type.Object({panel: Type.String(), role: Type.String()})

const Changed = Type.Object({role: Type.String(), has: Type.Boolean(), at: Type.Number()})
export type Changed = Static<typeof Changed>

/** What the bot did for a user within the last minute: the platform may not report it yet. */
export const Recent = Type.Object({changes: Type.Array(Changed, {default: []})})

/** What to tell a user once the platform has carried out or refused the acts, by their outbox ids. */
const Said = Type.Object({done: Type.String(), refused: Type.String()})
export type Said = Static<typeof Said>
export const Outcome = Type.Object({acts: Type.Array(Type.String()), ...Said.properties})

export const minute = 60_000

/** Throws `config_invalid` if a name or a role is there twice. */
export const requireUnique = (panels: readonly Panel[]): void => {
  const twice = (list: readonly string[]) => list.find((each, index) => list.indexOf(each) < index)
  const name = twice(panels.map(panel => panel.name))
  if (name !== undefined) throw new Problem("config_invalid", `panels: two panels have the name "${name}"`)
  for (const panel of panels) {
    const id = twice(panel.roles.map(role => role.id))
    if (id !== undefined) throw new Problem("config_invalid", `panels: "${panel.name}" has the role ${id} twice`)
  }
}
