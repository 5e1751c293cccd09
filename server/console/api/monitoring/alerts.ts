import {AlertsView, AlertTestRequest, AlertTestResult} from "../../../../shared/alerts/api.ts"
import type {Operation} from "../../../../shared/sdk/route.ts"
import type {Static} from "../../../../shared/type.ts"

/** What the Host lets these routes see and ask. */
export interface AlertsService {
  readonly view: AlertsView
  test(target: string | undefined): Promise<AlertTestResult>
}

export const listAlerts = (alerts: AlertsService): Operation => ({
  summary: "Alerts that are in force or ended within a day, who was told, and what could not be sent",
  response: {200: AlertsView},
  handle: (_, call) => call.json(AlertsView, alerts.view),
})

export const testAlerts = (alerts: AlertsService): Operation => ({
  summary: "Send a test to one target of alerts or to all, and say what became of it",
  body: AlertTestRequest,
  response: {200: AlertTestResult},
  problems: ["alert_target_unknown", "alerts_off"],
  handle: async (_, call) => {
    const {target} = (await call.body()) as Static<typeof AlertTestRequest>
    return call.json(AlertTestResult, await alerts.test(target))
  },
})
