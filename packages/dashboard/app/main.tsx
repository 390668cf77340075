import { render } from 'preact'
import './styles/index.css'
import { App } from './app.js'
import { start } from './state/start.js'

const root = document.querySelector('#app')
if (root !== null) {
  render(<App />, root)
  void start()
}
