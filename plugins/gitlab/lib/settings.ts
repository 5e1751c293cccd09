import {type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

/** What can be told, by the names of GitLab's `object_kind`. */
export const kinds = ["push", "tag_push", "issue", "merge_request", "pipeline", "release", "note"] as const
export type Kind = (typeof kinds)[number]

const pattern = {minLength: 1, maxLength: 200}

const Rule = Type.Object(
  {
    project: Type.String({
      ...pattern,
      description: "The project, such as ann/shop. With *, several: ann/* are all of ann, with subgroups",
    }),
    events: Type.Array(Type.Enum([...kinds]), {
      default: ["push", "issue", "merge_request", "pipeline", "release"],
      description: "Which events the bot tells",
    }),
    branches: Type.Array(Type.String(pattern), {
      default: ["*"],
      description:
        "Of which branches it tells pushes, merge requests (into them) and pipelines, such as main or release/*",
    }),
    to: Type.Object(
      {
        endpoint: Type.Endpoint({description: "An endpoint of this bot, as svc endpoint list shows it"}),
        channel: Type.String({minLength: 1, description: "A channel of that endpoint"}),
      },
      {...closed, description: "Where the bot tells it"},
    ),
  },
  closed,
)
export type Rule = Static<typeof Rule>

export const Settings = Type.Object(
  {
    secret: Type.Secret({description: "The secret token of the webhook on GitLab, or its signing token (whsec_…)"}),
    tell: Type.Array(Rule, {maxItems: 200, description: "What the bot tells, and where"}),
    commits: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 20,
      description: "How many commits of a push the message lists, the newest ones",
    }),
    pipelines: Type.Enum(["failed", "all"], {
      default: "failed",
      description: "Which finished pipelines it tells: those that failed, or all",
    }),
    botPushes: Type.Boolean({default: false, description: "Whether it tells what bots of a project or a group push"}),
  },
  closed,
)
export type Settings = Static<typeof Settings>

/** Does the text fit the pattern, in which * stands for any characters? */
const fits = (wanted: string, text: string): boolean => {
  const parts = wanted.toLowerCase().split("*")
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  const whole = text.toLowerCase()
  if (parts.length === 1) return whole === first
  if (whole.length < first.length + last.length || !whole.startsWith(first) || !whole.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = whole.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= whole.length - last.length
}

/** What decides whether a rule wants an event. */
export interface About {
  readonly kind: Kind
  readonly project: string
  readonly branch?: string | undefined
}

export const wants = (rule: Rule, {kind, project, branch}: About): boolean =>
  rule.events.includes(kind) &&
  fits(rule.project, project) &&
  (branch === undefined || rule.branches.some(each => fits(each, branch)))
