import {usuallyOn} from "../../../support/host/runtimes.ts"
import {describeWithChromium} from "../../../support/machine/chromium.ts"
import {thirteenTasks} from "./thirteen.ts"

describeWithChromium("an operator at 1440 pixels, with the console only", () => {
  thirteenTasks({runtime: usuallyOn("node24"), width: 1440, height: 900})
})
