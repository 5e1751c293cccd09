import {Named, orNull, type Static, Time, Type} from "../../type.ts"

/** The public status page, as JSON. Anybody can read it, so it names only the labels of the configuration. */

/** The time spans of uptime, in days. */
export const uptimeSpans = {"24h": 1, "7d": 7, "30d": 30, "90d": 90} as const

export type UptimeSpan = keyof typeof uptimeSpans

const Share = (span: UptimeSpan) =>
  orNull(Type.Number({minimum: 0, maximum: 1, description: `Share of the last ${span} that it was up, from 0 to 1`}))

/** The states of a label. paused: the operator has paused the Host, and messages wait. */
export const labelStates = ["up", "paused", "down"] as const

export const StatusPage = Named("StatusPage", {
  title: Type.String(),
  note: orNull(Type.String()),
  state: Type.Enum(["up", "partly down", "down", "paused", "starting"], {description: "That of all labels together"}),
  at: Time("When the Host computed this page. It recomputes it after 3 s at the earliest"),
  labels: Type.Array(
    Type.Object({
      label: Type.String(),
      state: Type.Enum([...labelStates]),
      uptime: Type.Object(
        {"24h": Share("24h"), "7d": Share("7d"), "30d": Share("30d"), "90d": Share("90d")},
        {description: "Null if nothing is recorded. Time in which the Host did not run counts as down"},
      ),
    }),
  ),
})
export type StatusPage = Static<typeof StatusPage>

export type LabelState = (typeof labelStates)[number]

export type Uptime = Readonly<Record<UptimeSpan, number | null>>

/** The subject key of the whole bot. The others are `endpoint/<name>`, `plugin/<name>` and `agent/<name>`. */
export const wholeBot = "bot"
