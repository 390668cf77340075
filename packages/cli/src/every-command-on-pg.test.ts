import { describeEveryCommand } from '../test/every-command.js'

describeEveryCommand()
