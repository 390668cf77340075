import { settingsText } from '../texts/settings.js'
import { can } from '../state/api.js'
import { Password } from './password.js'
import { SectionHead } from './section.js'
import { Sessions } from './sessions.js'
import { SecondFactor } from './second-factor.js'

/** How the person who is logged in proves who they are. */
export function Login() {
  return (
    <>
      <SectionHead title={settingsText.tabs.security} />
      <Password />
      {can('account:write') && <SecondFactor />}
      <Sessions />
    </>
  )
}
