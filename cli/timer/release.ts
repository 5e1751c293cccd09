import {decision} from "../kit/messages/decision.ts"

export const TimerRelease = decision("timers", "release", {
  description: "release a timer that a restore holds, so that it fires at its time",
  examples: [
    ["One timer", "svc timer release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All timers that a restore holds", "svc timer release --held"],
  ],
})
