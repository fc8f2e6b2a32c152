import { render } from 'preact'

render(<main>gambol</main>, document.getElementById('app')!)
