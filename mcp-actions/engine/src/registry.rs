//! The flows of one engine, by name and alias.

use std::collections::BTreeMap;

use crate::about::About;
use crate::flow::{Caller, Flow};
use crate::node::Ends;

/// Why a set of flows cannot be served together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    #[error("two capabilities answer to the name {0}")]
    DuplicateName(&'static str),
    #[error("{0} has a confirm node and nothing to do after it, or effects and no confirm node")]
    Effects(&'static str),
}

/// A checked set of flows, in the order they were listed.
pub struct Flows<C: Caller> {
    list: Vec<Box<dyn Flow<C>>>,
    by_name: BTreeMap<&'static str, usize>,
}

impl<C: Caller> Flows<C> {
    /// # Errors
    /// When names or aliases repeat, or a flow's nodes and effects do not fit together.
    pub fn new(list: Vec<Box<dyn Flow<C>>>) -> Result<Self, RegistryError> {
        let mut by_name = BTreeMap::new();
        for (index, flow) in list.iter().enumerate() {
            let about = flow.about();
            let confirms = matches!(flow.nodes().ends(), Ends::Confirm { .. });
            if confirms != flow.effects().is_some() {
                return Err(RegistryError::Effects(about.name));
            }
            for name in std::iter::once(&about.name).chain(about.aliases) {
                if by_name.insert(*name, index).is_some() {
                    return Err(RegistryError::DuplicateName(name));
                }
            }
        }
        Ok(Self { list, by_name })
    }

    /// A flow by its name or one of its aliases.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Flow<C>> {
        self.list.get(*self.by_name.get(name)?).map(Box::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Flow<C>> {
        self.list.iter().map(Box::as_ref)
    }

    pub(crate) fn abouts(&self) -> Vec<(About, Vec<&'static str>)> {
        let inputs = |flow: &dyn Flow<C>| flow.nodes().fields().map(|field| field.path).collect();
        self.iter().map(|flow| (flow.about().clone(), inputs(flow))).collect()
    }
}
