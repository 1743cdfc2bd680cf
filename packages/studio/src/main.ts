import { mount } from 'svelte';
import './app.css';
import { isolate } from './service-worker.js';
import App from './view/App.svelte';

await isolate();
const target = document.getElementById('app');
if (target) mount(App, { target });
