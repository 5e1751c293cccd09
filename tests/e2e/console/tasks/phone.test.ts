import {usualRuntime} from "../../../support/host/runtimes.ts"
import {describeWithChromium} from "../../../support/machine/chromium.ts"
import {thirteenTasks} from "./thirteen.ts"

describeWithChromium("an operator with a phone, with the console only", () => {
  thirteenTasks({runtime: usualRuntime, width: 360, height: 740})
})
