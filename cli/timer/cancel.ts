import {decision} from "../kit/messages/decision.ts"

export const TimerCancel = decision("timers", "cancel", {
  description: "cancel a timer, so that it never fires",
  examples: [
    ["One timer", "svc timer cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All timers that a restore holds", "svc timer cancel --held"],
  ],
})
