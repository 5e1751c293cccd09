import {AlertsView, AlertTestRequest, AlertTestResult} from "../../../../shared/alerts/api.ts"
import type {Operation} from "../../../../shared/sdk/route.ts"
import {answering} from "../../operations.ts"

/** The part of the Host that these routes see. */
export interface AlertsService {
  readonly view: AlertsView
  test(target: string | undefined): Promise<AlertTestResult>
}

export const listAlerts = (alerts: AlertsService): Operation => ({
  summary: "Alerts that are active or ended within a day, where they were sent, and what could not be sent",
  response: {200: AlertsView},
  handle: (_, call) => call.json(AlertsView, alerts.view),
})

export const testAlerts = answering({
  summary: "Send a test alert to one target or to all, and return the result of each",
  body: AlertTestRequest,
  answer: AlertTestResult,
  problems: ["alert_target_unknown", "alerts_off"],
  run: ({body}, alerts: AlertsService) => alerts.test(body.target),
})
